// Whose turn it is among the jobs in memory: the account with the fewest in flight, and then the job that
// was due first. It is decided here and nowhere else. Contract §6, Fairness.
//
// Its state: the endpoints by account, and heaps of those that may start something, now and later. A heap
// has a group of endpoints once for each change; only the newest one counts.
import type { ClaimRequest, QueueName } from '@plazo/core/internal'
import TinyQueue from 'tinyqueue'
import type { DueKey, DueRow } from './base.ts'

/** A job that waits in memory or runs. */
export type Entry = DueRow & {
  /** The monotonic instant at which its order was existing to have it. */
  readonly seenAt: number
}

/** An endpoint, or all internal work. */
export type Line = {
  readonly queue: QueueName
  readonly merchant: string
  readonly account: string
  isGood: boolean
  /** By their sequence. */
  waiting: Entry[]
  running: number
  /** The database has more behind the last one. */
  hasMore: boolean
}

/** The endpoints of one account that are good, or that are not; or all internal work. */
type Group = {
  readonly lines: Set<Line>
  readonly kind: 'work' | 'good' | 'notGood'
  running: number
  /** Counts its changes. */
  change: number
}

type Turn = {
  readonly group: Group
  readonly change: number
  readonly running: number
  readonly entry: Entry
}

// So many turns of good endpoints keep every place busy while more is read. The others may have to wait
// for long, and must not keep the good ones from being read.
const ENOUGH = 1_000
const MANY = 10_000

/** By the sequence in which jobs become due. */
export const inSequence = (a: DueKey, b: DueKey): number =>
  a.dueAt - b.dueAt || a.order - b.order || a.n - b.n

const byTurn = (a: Turn, b: Turn): number => a.running - b.running || inSequence(a.entry, b.entry)

const isNewest = ({ group, change }: Turn): boolean => group.change === change

export const createTurns = () => {
  const groups = new Map<string, Group>()
  const ready = {
    work: new TinyQueue<Turn>([], byTurn),
    good: new TinyQueue<Turn>([], byTurn),
    notGood: new TinyQueue<Turn>([], byTurn),
  }
  const later = new TinyQueue<Turn>([], (a, b) => inSequence(a.entry, b.entry))
  /** Null: nothing limits accounts and merchants. */
  let perAccount: number | null = null
  let reachedAt = Number.NEGATIVE_INFINITY
  const groupOf = ({ queue, account, isGood }: Line): Group => {
    const kind = queue === 'work' ? 'work' : isGood ? 'good' : 'notGood'
    const key = kind === 'work' ? kind : `${kind} ${queue} ${account}`
    const existing = groups.get(key)
    if (existing !== undefined) return existing
    const group = { lines: new Set<Line>(), kind, running: 0, change: 0 } as const
    groups.set(key, group)
    return group
  }

  const mayStart = ({ running: count, kind }: Group): boolean =>
    kind !== 'good' || perAccount === null || count < perAccount

  /** The first entry that may start. An endpoint that is not good runs one at a time. */
  const firstOf = (group: Group): Entry | undefined => {
    if (!mayStart(group)) return undefined
    const isOneAtATime = group.kind === 'notGood' && perAccount !== null
    let first: Entry | undefined
    for (const line of group.lines) {
      const entry = isOneAtATime && line.running > 0 ? undefined : line.waiting[0]
      if (entry !== undefined && (first === undefined || inSequence(entry, first) < 0))
        first = entry
    }
    return first
  }

  const touch = (group: Group): void => {
    group.change += 1
    const entry = firstOf(group)
    if (entry === undefined) return
    const turn = { group, change: group.change, running: group.running, entry }
    if (entry.dueAt > reachedAt) later.push(turn)
    else ready[group.kind].push(turn)
  }

  const head = (turns: TinyQueue<Turn>): Turn | undefined => {
    for (let turn = turns.peek(); turn !== undefined; turn = turns.peek()) {
      if (isNewest(turn)) return turn
      turns.pop()
    }
    return undefined
  }

  const reach = (at: number): void => {
    reachedAt = at
    for (let turn = head(later); turn !== undefined && turn.entry.dueAt <= at; turn = head(later)) {
      later.pop()
      ready[turn.group.kind].push(turn)
    }
  }

  const limit = (newLimit: number | null): void => {
    if (newLimit === perAccount) return
    perAccount = newLimit
    for (const group of groups.values()) touch(group)
  }

  return {
    groupOf,
    touch,
    reach,
    limit,
    isLimited: (): boolean => perAccount !== null,
    /** Takes the next turn that there is capacity for. */
    next: ({ deliveries, notGood, internal }: ClaimRequest['capacity']): Turn | undefined => {
      const [first] = [
        internal > 0 ? head(ready.work) : undefined,
        deliveries > 0 ? head(ready.good) : undefined,
        deliveries > 0 && notGood > 0 ? head(ready.notGood) : undefined,
      ]
        .flatMap((turn) => turn ?? [])
        .sort(byTurn)
      if (first !== undefined) ready[first.group.kind].pop()
      return first
    },
    /** False: what is in memory keeps everybody busy for a while. */
    hasRoom: (work: number): boolean => {
      for (const kind of ['good', 'notGood'] as const)
        ready[kind] = new TinyQueue(ready[kind].data.filter(isNewest), byTurn)
      return ready.good.length < ENOUGH && ready.notGood.length + work < MANY
    },
    /** When the first job is due that may start. Null: none is in memory. */
    nextDueAt: (): number | null => {
      const turns = [ready.work, ready.good, ready.notGood, later].flatMap(
        (each) => head(each)?.entry.dueAt ?? [],
      )
      return turns.length === 0 ? null : Math.min(...turns)
    },
  }
}

// The jobs that are due soon, in the memory of the one process that starts them. Contract §6, Fairness.
//
// Its state: the entries by order, and the endpoints with what waits and runs there.
import type { ClaimRequest, EndpointKind, OrderJobs, QueueName } from '@plazo/core/internal'
import type { DueRow } from './base.ts'
import { type InFlight, keyOf } from './lease.ts'
import { createTurns, type Entry, inSequence, type Line } from './turns.ts'

/** A job that runs, with the number of its claim. */
export type Running = DueRow & { readonly claim: number }

/** An order, by its uuid and its number, with its jobs. */
type OrderWithJobs = {
  readonly ref: string
  readonly id: number
  readonly jobs: OrderJobs
}

// What one endpoint, and all internal work, may keep in memory.
const LINE_MAX = 16
const WORK_MAX = 2_000
/** One more than a line may keep, so that it shows whether the database has more. */
export const REFILL = LINE_MAX + 1

const keyOfLine = (queue: QueueName, merchant: string): string =>
  queue === 'work' ? queue : `${queue} ${merchant}`

/** Where the entry waits in its line, or would. */
const placeOf = (entry: Entry, { waiting }: Line): number => {
  let [first, end] = [0, waiting.length]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (inSequence(waiting[middle] as Entry, entry) < 0) first = middle + 1
    else end = middle
  }
  return first
}

export type JobsInMemory = ReturnType<typeof createQueue>

/** `adopted`: jobs that already run. `isElsewhere`: another process may have it in flight. */
export const createQueue = (adopted: readonly Running[], isElsewhere: (job: DueRow) => boolean) => {
  const lines = new Map<string, Line>()
  const turns = createTurns()
  const byOrder = new Map<string, Map<number, Entry>>()
  const running = new Map<
    string,
    { readonly entry: Entry; readonly line: Line; readonly claim: number }
  >()
  let claims = 0
  const short = new Set<Line>()
  /** Endpoints that are good and have nothing in memory. */
  const good = new Set<string>()
  /** Endpoints that an attempt has shown not to be good. */
  const slow = new Set<string>()
  /** Later jobs are left in the database. Null: this process starts none. */
  let horizon: number | null = null

  const lineOf = ({ queue, merchant, account }: DueRow): Line => {
    const key = keyOfLine(queue, merchant)
    const existing = lines.get(key)
    if (existing !== undefined) return existing
    const isGood = good.delete(key)
    const line = { queue, merchant, account, isGood, waiting: [], running: 0, hasMore: false }
    lines.set(key, line)
    turns.groupOf(line).lines.add(line)
    return line
  }

  const forget = ({ ref, n }: Entry): void => {
    const ofOrder = byOrder.get(ref)
    ofOrder?.delete(n)
    if (ofOrder?.size === 0) byOrder.delete(ref)
  }

  const insert = (entry: Entry): void => {
    if (isElsewhere(entry)) return
    const line = lineOf(entry)
    const { waiting, hasMore } = line
    const at = placeOf(entry, line)
    // Others, which only the database has, may be ahead of it.
    if (hasMore && at === waiting.length) return
    waiting.splice(at, 0, entry)
    const ofOrder = byOrder.get(entry.ref) ?? new Map<number, Entry>()
    byOrder.set(entry.ref, ofOrder.set(entry.n, entry))
    if (waiting.length > (line.queue === 'work' ? WORK_MAX : LINE_MAX)) {
      line.hasMore = true
      forget(waiting.pop() as Entry)
    }
    turns.touch(turns.groupOf(line))
  }

  /** Something has left the line. An empty one is dropped, because each turn looks at all of an account. */
  const leave = (line: Line): void => {
    const group = turns.groupOf(line)
    turns.touch(group)
    if (line.waiting.length + line.running > 0 || line.hasMore) return
    group.lines.delete(line)
    const key = keyOfLine(line.queue, line.merchant)
    lines.delete(key)
    if (line.isGood) good.add(key)
  }

  const remove = (entry: Entry): void => {
    const line = lineOf(entry)
    line.waiting.splice(placeOf(entry, line), 1)
    if (line.hasMore && line.waiting.length <= LINE_MAX / 4) short.add(line)
    forget(entry)
    leave(line)
  }

  const run = (entry: Entry, claim: number): void => {
    const line = lineOf(entry)
    running.set(keyOf(entry), { entry, line, claim })
    line.running += 1
    turns.groupOf(line).running += 1
  }

  for (const { claim, ...row } of adopted) {
    run({ ...row, seenAt: Number.NEGATIVE_INFINITY }, claim)
    claims = Math.max(claims, claim)
  }

  const isGood = (merchant: string, kind: EndpointKind): boolean => {
    const key = `${kind} ${merchant}`
    return lines.get(key)?.isGood ?? good.has(key)
  }

  return {
    /** The order has these jobs now. Those that run are left alone. */
    put: ({ ref, id, jobs }: OrderWithJobs, seenAt: number): void => {
      if (horizon === null) return
      for (const entry of [...(byOrder.get(ref)?.values() ?? [])]) remove(entry)
      for (const { n, queue, state, dueAt, merchantRef: merchant, account } of jobs.list)
        if (state === 'pending' && dueAt <= horizon && !running.has(keyOf({ ref, n })))
          insert({ ref, order: id, n, queue, dueAt, merchant, account, seenAt })
    },
    /** From now on it has what is due up to this instant. */
    reachTo: (until: number): void => {
      horizon = until
    },
    /** Another process starts jobs now. What runs here goes on. */
    empty: (): void => {
      horizon = null
      for (const ofOrder of [...byOrder.values()])
        for (const entry of [...ofOrder.values()]) remove(entry)
      for (const line of lines.values()) line.hasMore = false
      short.clear()
    },
    /** These jobs were found in the database. */
    add: (rows: readonly DueRow[]): void => {
      for (const row of rows)
        if (!running.has(keyOf(row)) && byOrder.get(row.ref)?.get(row.n) === undefined)
          insert({ ...row, seenAt: Number.NEGATIVE_INFINITY })
    },
    /** Takes what may start, and counts it as running. `isBusy`: the order is being written. */
    take: (request: ClaimRequest, isBusy: (ref: string) => boolean): readonly Entry[] => {
      turns.limit(request.perAccount)
      turns.reach(request.at)
      const taken: Entry[] = []
      const busy: Entry[] = []
      const capacity = { ...request.capacity }
      for (let turn = turns.next(capacity); turn !== undefined; turn = turns.next(capacity)) {
        const { group, entry } = turn
        if (isBusy(entry.ref)) {
          remove(entry)
          busy.push(entry)
          continue
        }
        if (group.kind === 'work') capacity.internal -= 1
        else capacity.deliveries -= 1
        if (group.kind === 'notGood') capacity.notGood -= 1
        claims += 1
        run(entry, claims)
        remove(entry)
        taken.push(entry)
      }
      for (const entry of busy) insert(entry)
      return taken
    },
    /** The job does not run any more. */
    end: (job: InFlight): void => {
      const ended = running.get(keyOf(job))
      if (ended === undefined) return
      running.delete(keyOf(job))
      ended.line.running -= 1
      turns.groupOf(ended.line).running -= 1
      leave(ended.line)
    },
    /** Says whether the merchant answers deliveries of this kind well. */
    judge: (merchant: string, kind: EndpointKind, isNowGood: boolean): void => {
      const key = `${kind} ${merchant}`
      const line = lines.get(key)
      if (isNowGood) slow.delete(key)
      else slow.add(key)
      if (line === undefined) {
        if (isNowGood) good.add(key)
        else good.delete(key)
      } else if (line.isGood !== isNowGood) {
        const before = turns.groupOf(line)
        before.lines.delete(line)
        before.running -= line.running
        line.isGood = isNowGood
        const after = turns.groupOf(line)
        after.lines.add(line)
        after.running += line.running
        turns.touch(before)
        turns.touch(after)
      }
    },
    /** Whether deliveries to it are limited by account only. */
    isGood: (merchant: string, kind: EndpointKind): boolean =>
      !turns.isLimited() || isGood(merchant, kind),
    isSlow: (merchant: string, kind: EndpointKind): boolean => slow.has(`${kind} ${merchant}`),
    /** False: what is in memory keeps everybody busy for a while. */
    hasRoom: (): boolean => turns.hasRoom(lines.get('work')?.waiting.length ?? 0),
    /** The number of its claim, if it runs. */
    claimOf: (job: InFlight): number | undefined => running.get(keyOf(job))?.claim,
    running: (): readonly Running[] =>
      [...running.values()].map(({ entry: { seenAt: _seenAt, ...row }, claim }) => ({
        ...row,
        claim,
      })),
    /** Lines that have room in memory, and more in the database behind their last entry. */
    takeShort: (): readonly { readonly line: Line; readonly last: Entry | undefined }[] => {
      const found = [...short].map((line) => ({ line, last: line.waiting.at(-1) }))
      short.clear()
      for (const { line } of found) line.hasMore = false
      return found
    },
    nextDueAt: turns.nextDueAt,
  }
}

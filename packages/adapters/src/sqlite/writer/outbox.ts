// The effects in SQLite: queued in lanes, claimed with a lease and a fencing token, ended or tried again. Every function here
// runs inside a transaction of its caller's. Whatever ends, is given back or is put off may let others become due: the next of
// its lane, which is pending from then on (`advance`), and what was held up while it was in flight (`noteUnblocked`). Of each
// the commit notes the instant, so that whoever claims is told.
import {
  type Conclusion,
  type Ending,
  effectKey,
  effectKeyParts,
  type GivenBackAs,
  type Outcome,
  outcomeOf,
  type Report,
  type Settled,
} from '@plazo/core'
import { ownLane } from '../../rows/beside.ts'
import { placeOfMessage, placeOfWork } from '../../rows/places.ts'
import { type DataKey, seal } from '../../sealing/sealer.ts'
import type { Attempts } from '../attempts.ts'
import type { Database } from '../database.ts'
import { type DueDelivery, type DueRow, dueEntries } from '../due.ts'
import type { Vault } from '../vault.ts'
import type { Calls, ClaimedEntry, DoWrite, OrderWrite, SettleWrite } from './calls.ts'
import type { MakingDue } from './making-due.ts'
import { type HeldEntry, outboxStatements } from './outbox-statements.ts'

export type Outbox = {
  /** What each effect is to do, as it will stand there; `key`: the order's data key. */
  readonly seal: (write: OrderWrite, key: DataKey) => readonly KeptWork[]
  /** `call`: the number of the one that adds them. */
  readonly add: (orderId: number, write: OrderWrite, works: readonly KeptWork[], call: number) => void
  readonly claim: Calls['claim']
  /** The claimed entry, if the token still holds it. */
  readonly held: (token: string) => HeldEntry | undefined
  readonly conclude: (entry: HeldEntry, concluded: Concluded) => Settled
  /** What came of it is kept, and nothing more is done. */
  readonly park: (entry: HeldEntry, message: string, concluded: Concluded) => void
  readonly giveBack: (token: string, as: GivenBackAs) => void
  /** False: nothing of that key is parked. */
  readonly unpark: (key: string, at: number) => boolean
  /** Notes what merchants have pending whose deliveries have ended in this commit: it may be claimed now. */
  readonly noteNextInQueues: () => void
  /** Passes on the claims of processes that are gone, without waiting for their leases to end. */
  readonly takeOverFromTheDead: () => void
}

type Concluded = Pick<SettleWrite, 'conclusion' | 'ending' | 'report'>

/** Null: it does nothing itself. */
export type KeptWork = Buffer | string | null

const processIsGone = (pid: number): boolean => {
  // Our own number in an old claim was another process: ours has claimed nothing yet.
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'ESRCH'
  }
}

const AT_ONCE = Number.NEGATIVE_INFINITY

type ClaimUntil = { readonly at: number; readonly leaseUntil: number }

type Parked = Pick<HeldEntry, 'id' | 'order_id' | 'lane' | 'resend_of'>

export type OutboxOptions = {
  readonly vault: Vault
  /** Tells this writer's claims from those of any other. */
  readonly boot: string
  /** Real time, for leases alone. */
  readonly realNow: () => number
}

export const outbox = (
  db: Database,
  attempts: Attempts,
  { offer, hand, takeBack, noteDue }: MakingDue,
  { vault, boot, realNow }: OutboxOptions,
): Outbox => {
  const sql = outboxStatements(db)
  const due = dueEntries(db)
  const endedIn = { event: new Set<string>(), ipn: new Set<string>() }
  let claims = 0

  // What went wrong may be told in the shopper's own words.
  const keptMessage = ({ order_id, ...row }: Parked, message: string): Buffer | string => {
    try {
      return seal(vault.current(order_id), placeOfMessage(row.resend_of ?? row.id), message)
    } catch {
      return 'What is sealed of this order cannot be opened.'
    }
  }

  const advance = (orderId: number, lane: string): void => {
    if (sql.advance.run(orderId, lane).changes > 0) noteDue(AT_ONCE)
  }

  const noteNextInLane = (orderId: number, lane: string | null): void => {
    if (lane !== null) noteDue(sql.nextInLane.get(orderId, lane) ?? null)
  }

  // What an entry in flight has held up: those behind its lane, the lane it stood behind itself, its account's next.
  const noteUnblocked = ({ order_id, behind, next_behind, class: kind, queue }: HeldEntry): void => {
    noteDue(next_behind)
    noteNextInLane(order_id, behind)
    if (kind !== 'work') endedIn[kind].add(queue)
  }

  // Once for all deliveries of a merchant that end in one commit.
  const noteNextInQueues = (): void => {
    for (const kind of ['event', 'ipn'] as const) {
      for (const queue of endedIn[kind])
        for (const each of due.siblingsOf(queue)) noteDue(sql.nextInQueue.get(kind, each) ?? null)
      endedIn[kind].clear()
    }
  }

  // Deliveries are kept, to be seen and sent again; the journal tells of all other work.
  const end = ({ id, class: kind }: Pick<HeldEntry, 'id' | 'class'>, as: Ending): void => {
    if (kind === 'work') sql.remove.run(id)
    else sql.end.run(as, id)
  }

  const finish = (entry: HeldEntry, as: Ending): Ending => {
    end(entry, as)
    if (entry.is_followed === 1) advance(entry.order_id, entry.lane)
    return as
  }

  const parkAside = (entry: Parked, message: string): void => {
    const kept = keptMessage(entry, message)
    if (entry.resend_of !== null) {
      sql.parkBeside.run(kept, entry.resend_of)
      sql.remove.run(entry.id)
    } else {
      sql.park.run(kept, entry.id)
      advance(entry.order_id, entry.lane)
    }
  }

  const complete = (entry: HeldEntry, outcome: Outcome, report: Report | null): void => {
    const { order_id, id, resend_of, attempt: n, started_by, started_at } = entry
    if (n === null || started_by === null || started_at === null) return
    attempts.write({ order_id, delivery_id: resend_of ?? id, n, started_by, started_at }, outcome, report)
  }

  // What is sent once more is sent once.
  const leaveBeside = ({ id, resend_of }: HeldEntry, conclusion: Conclusion): Ending => {
    sql.remove.run(id)
    if (conclusion.type === 'again') return 'stopped'
    if (outcomeOf(conclusion) === 'accepted') sql.endBeside.run(conclusion.as, resend_of)
    return conclusion.as
  }

  const leave = (entry: HeldEntry, { conclusion, ending }: Concluded): Settled => {
    if (entry.resend_of !== null) return leaveBeside(entry, conclusion)
    if (entry.withdrawn === 1) return finish(entry, 'stopped')
    if (ending !== null) return finish(entry, ending)
    if (conclusion.type === 'ended') return finish(entry, conclusion.as)
    sql.again.run(conclusion.dueAt, entry.id)
    noteDue(conclusion.dueAt)
    return 'again'
  }

  const unclaim = ({ id, resend_of, attempt }: HeldEntry): void => {
    if (resend_of === null) sql.unclaim.run(id)
    else sql.uncountBeside.run(resend_of, attempt)
  }

  const giveBackUnlessWithdrawn = (entry: HeldEntry, as: GivenBackAs): void => {
    if (as === 'begun') complete(entry, 'lost', null)
    else unclaim(entry)
    if (entry.withdrawn === 1) finish(entry, 'stopped')
    else {
      sql.giveBack.run(entry.id)
      noteDue(AT_ONCE)
    }
    noteUnblocked(entry)
  }

  const passOnOverdueClaims = (realNow: number): void => {
    for (const entry of sql.overdueClaims.all(realNow)) giveBackUnlessWithdrawn(entry, 'begun')
  }

  // A token ends in the number of its row, which keeps the rest.
  const heldBy = (token: string): HeldEntry | undefined => {
    const dot = token.lastIndexOf('.')
    return sql.held.get(Number(token.slice(dot + 1)), token.slice(0, dot))
  }

  const newToken = (): string => `${process.pid}.${boot}.${claims++}`

  /** `counted`: attempts of deliveries that this claim sends once more beside them, by the deliveries' numbers. */
  const claimRow = (
    row: DueRow,
    share: number | null,
    counted: Map<number, number>,
    request: ClaimUntil,
  ): ClaimedEntry => {
    const { at, leaseUntil } = request
    const lane = ownLane(row.lane)
    const token = newToken()
    const { resend_of: original } = row
    const beside = original === null ? undefined : sql.countBeside.get(original)
    if (original !== null && beside !== undefined) counted.set(original, beside)
    const attempt = beside ?? (counted.get(row.id) ?? row.attempts) + 1
    const [by, since] = row.class === 'work' ? [null, null] : [row.cause ?? 'schedule', at]
    sql.claim.run(token, leaseUntil, attempt, at, by, since, share, row.id)
    return {
      id: row.id,
      key: effectKey(row.order_ref, row.revision, lane),
      orderRef: row.order_ref,
      merchantRef: row.merchant_ref,
      lane,
      until: row.until,
      attempt,
      isResend: original !== null,
      firstAt: row.first_at ?? at,
      startedAt: at,
      token: `${token}.${row.id}`,
    }
  }

  const insertPending = (
    orderId: number,
    { merchantRef, account, at }: OrderWrite,
    { revision, lane, kind, event, dueAt, until, behind }: DoWrite,
    kept: Buffer | string,
  ): void => {
    const [queue, owner] = kind === 'work' ? ['', null] : [merchantRef, account]
    sql.insert.run(orderId, revision, lane, kind, queue, owner, kept, event, orderId, lane, dueAt, until, behind, at)
    noteDue(dueAt)
  }

  // Claimed in the commit that makes it, where a claim right after would take it. Deliveries are not: merchants take turns.
  // False: it is not, and nothing is written.
  const handOver = (
    orderId: number,
    { revision, lane, kind, dueAt, until, behind }: DoWrite,
    kept: Buffer | string,
    madeAt: number,
    call: number,
    effect: number,
  ): boolean => {
    const offered = kind === 'work' ? offer(dueAt) : null
    if (offered === null || (behind !== null && sql.isInFlight.get(orderId, behind) === 1)) return false
    const token = newToken()
    const { changes, lastInsertRowid } = sql.insertClaimed.run(
      orderId,
      revision,
      lane,
      kept,
      dueAt,
      until,
      behind,
      madeAt,
      offered.at,
      token,
      realNow() + offered.lease,
      orderId,
      lane,
      orderId,
      lane,
      dueAt,
    )
    if (changes === 0) return false
    const id = Number(lastInsertRowid)
    hand(id, { call, effect, token: `${token}.${id}` })
    return true
  }

  // Nothing is left to go on in the lane but what is in flight.
  const withdraw = (orderId: number, lane: string): void => {
    for (const row of sql.unfinishedInLane.all(orderId, lane))
      if (row.state === 'claimed' && !takeBack(row.id)) sql.markWithdrawn.run(row.id)
      else {
        end(row, 'stopped')
        noteNextInLane(orderId, row.behind)
      }
  }

  return {
    seal: ({ effects }, key) =>
      effects.map((effect) => {
        if (effect.type !== 'do') return null
        const { revision, lane, work, isPlain } = effect
        return isPlain ? work : seal(key, placeOfWork(revision, lane), work)
      }),
    add: (orderId, write, kept, call) => {
      for (const [n, effect] of write.effects.entries()) {
        const work = kept[n] ?? null
        if (effect.type === 'do') {
          if (work !== null && !handOver(orderId, effect, work, write.at, call, n))
            insertPending(orderId, write, effect, work)
        } else if (effect.type === 'withdraw') withdraw(orderId, effect.lane)
        else if (sql.hasten.run(write.at, orderId, effect.lane).changes > 0) noteDue(AT_ONCE)
      }
    },
    claim: (request) => {
      const now = realNow()
      passOnOverdueClaims(now)
      const counted = new Map<number, number>()
      const until = { at: request.at, leaseUntil: now + request.lease }
      const claimed = (due: readonly DueDelivery[]) => due.map(({ row, share }) => claimRow(row, share, counted, until))
      // Deliveries first: what stands behind one of them then sees it in flight.
      const deliveries = claimed(due.deliveries(request))
      return [...claimed(due.work(request).map((row) => ({ row, share: null }))), ...deliveries]
    },
    noteNextInQueues,
    held: heldBy,
    conclude: (entry, concluded) => {
      complete(entry, outcomeOf(concluded.conclusion), concluded.report)
      const settled = leave(entry, concluded)
      noteUnblocked(entry)
      return settled
    },
    park: (entry, message, { conclusion, report }) => {
      complete(entry, outcomeOf(conclusion), report)
      parkAside(entry, message)
      noteUnblocked(entry)
    },
    giveBack: (token, as) => {
      const entry = heldBy(token)
      if (entry !== undefined) giveBackUnlessWithdrawn(entry, as)
    },
    unpark: (key, at) => {
      const { orderRef, revision, lane } = effectKeyParts(key)
      noteDue(at)
      return sql.unpark.run(at, orderRef, revision, lane).changes > 0
    },
    takeOverFromTheDead: () => {
      const tokens = Map.groupBy(sql.claimTokens.all(), (token) => Number.parseInt(token, 10))
      for (const [pid, ofProcess] of tokens)
        if (processIsGone(pid)) for (const token of ofProcess) sql.expire.run(token)
    },
  }
}

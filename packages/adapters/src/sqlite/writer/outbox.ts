// The job queue in SQLite. Jobs wait in lanes, are claimed with a lease and a fencing token, and finish or are retried. Every
// function here runs inside the caller's transaction.
// A job that finishes, is released or is postponed may make other jobs due. These are the next job of its lane, which becomes
// pending (`advance`), and the jobs that it held up while it was in flight (`noteUnblocked`). The commit notes when each of
// them is due, so that the dispatcher is notified.
import {
  type AttemptResult,
  type CompletionResult,
  effectKey,
  effectKeyParts,
  type FinalStatus,
  type Outcome,
  outcomeOf,
  type ReleasedAs,
  type Report,
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
  /** The payload of each effect, as it will be stored. `key`: the order's data key. */
  readonly seal: (write: OrderWrite, key: DataKey) => readonly KeptWork[]
  /** `call`: the number of the call that adds the effects. */
  readonly add: (orderId: number, write: OrderWrite, works: readonly KeptWork[], call: number) => void
  readonly claim: Calls['claim']
  /** The claimed job, if the token is still valid. */
  readonly held: (token: string) => HeldEntry | undefined
  readonly conclude: (entry: HeldEntry, concluded: Concluded) => CompletionResult
  /** Makes the job stuck. The result of its attempt is kept; nothing else happens. */
  readonly park: (entry: HeldEntry, message: string, concluded: Concluded) => void
  readonly giveBack: (token: string, as: ReleasedAs) => void
  /** False: no job with that key is stuck. */
  readonly unpark: (key: string, at: number) => boolean
  /** Notes the next pending deliveries of merchants whose deliveries finished in this commit: they may be claimed now. */
  readonly noteNextInQueues: () => void
  /** Ends the leases of dead processes at once, so that the next claim takes over their jobs. */
  readonly takeOverFromTheDead: () => void
}

type Concluded = Pick<SettleWrite, 'conclusion' | 'ending' | 'report'>

/** The payload as it is stored. Null: the effect adds no job. */
export type KeptWork = Buffer | string | null

const processIsGone = (pid: number): boolean => {
  // Our own pid in an old claim belongs to an earlier process: this one has claimed nothing yet.
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
  /** Distinguishes this writer's claims from those of any other. */
  readonly boot: string
  /** Real time, used only for leases. */
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

  // The message may quote the shopper, so it is encrypted.
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

  // Jobs that a job in flight has held up: those behind its lane, those in the lane that it is behind, and its account's next.
  const noteUnblocked = ({ order_id, behind, next_behind, class: kind, queue }: HeldEntry): void => {
    noteDue(next_behind)
    noteNextInLane(order_id, behind)
    if (kind !== 'work') endedIn[kind].add(queue)
  }

  // Once for all deliveries of a merchant that finish in one commit.
  const noteNextInQueues = (): void => {
    for (const kind of ['event', 'ipn'] as const) {
      for (const queue of endedIn[kind])
        for (const each of due.siblingsOf(queue)) noteDue(sql.nextInQueue.get(kind, each) ?? null)
      endedIn[kind].clear()
    }
  }

  // Deliveries are kept, so that they can be listed and resent. The journal records all other work.
  const end = ({ id, class: kind }: Pick<HeldEntry, 'id' | 'class'>, as: FinalStatus): void => {
    if (kind === 'work') sql.remove.run(id)
    else sql.end.run(as, id)
  }

  const finish = (entry: HeldEntry, as: FinalStatus): FinalStatus => {
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

  // A resend has one attempt and is never retried.
  const leaveBeside = ({ id, resend_of }: HeldEntry, conclusion: AttemptResult): FinalStatus => {
    sql.remove.run(id)
    if (conclusion.type === 'again') return 'stopped'
    if (outcomeOf(conclusion) === 'accepted') sql.endBeside.run(conclusion.as, resend_of)
    return conclusion.as
  }

  const leave = (entry: HeldEntry, { conclusion, ending }: Concluded): CompletionResult => {
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

  const giveBackUnlessWithdrawn = (entry: HeldEntry, as: ReleasedAs): void => {
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

  // A token ends with its row number; the row stores the rest.
  const heldBy = (token: string): HeldEntry | undefined => {
    const dot = token.lastIndexOf('.')
    return sql.held.get(Number(token.slice(dot + 1)), token.slice(0, dot))
  }

  const newToken = (): string => `${process.pid}.${boot}.${claims++}`

  /** `counted`: attempts, by row number, of the deliveries whose resends this claim has already taken. */
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

  // Writes the job as claimed in the commit that creates it, if an immediate claim would take it. Deliveries are excluded,
  // because merchants take turns. False: it is not handed over, and nothing was written.
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

  // No `advance` is needed: afterwards the lane holds at most a job in flight.
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
      // Deliveries first, so that jobs `behind` their lanes see them in flight.
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

// The job queue in SQLite. Jobs wait in lanes, are claimed with a lease and a fencing token, and
// finish or are retried. Every function here runs inside the caller's transaction.
//
// A job that finishes, is released or is postponed may make other jobs due. These are the next job
// of its lane, which becomes pending (`advance`), and the jobs that it held up while it was in
// flight (`noteUnblocked`). The transaction reports when the first of them is due, so that the
// dispatcher claims it.
import {
  type AttemptResult,
  type CompletionResult,
  effectKey,
  type FinalStatus,
  type Outcome,
  outcomeOf,
  type ReleasedAs,
} from '@plazo/core/ports'
import {
  aadForPayload,
  aadForStuckMessage,
  type DataKey,
  encrypt,
} from '../../encryption/cipher.ts'
import { encryptReport } from '../../sql/attempt-report.ts'
import type { CompletionWrite, EffectWrite, JobResult, OrderWrite } from '../../sql/order-writes.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { createDueJobs, type DueJobRow, type DueRequest } from '../queries/due-jobs.ts'
import type { Database } from '../schema/database.ts'
import type { ClaimedJob, CommandInput } from './commands.ts'
import { createEndpointRows } from './endpoint-rows.ts'
import { type ClaimedRow, outboxStatements } from './outbox-statements.ts'

export type Outbox = ReturnType<typeof createOutbox>

/** The payload as it is stored. Null: the effect adds no job. */
type StoredPayload = Buffer | string | null

const NO_REPORT = { report: null, isGood: null }

const IMMEDIATELY = Number.NEGATIVE_INFINITY

/** `boot`: distinguishes this writer's claims from those of any other. */
export const createOutbox = (db: Database, dataKeys: DataKeys, boot: string) => {
  const sql = outboxStatements(db)
  const dueJobs = createDueJobs(db)
  const endpoints = createEndpointRows(db)
  const finishedIn = { event: new Set<string>(), ipn: new Set<string>() }
  let nextDueAt = Number.POSITIVE_INFINITY
  let claims = 0

  /** A claim may find a job from this time on. Null: nothing changes. */
  const noteDue = (dueAt: number | null): void => {
    if (dueAt !== null && dueAt < nextDueAt) nextDueAt = dueAt
  }

  // The message may quote the shopper, so it is encrypted.
  const encryptMessage = ({ order_id, ...row }: ClaimedRow, message: string): Buffer | string => {
    try {
      return encrypt(
        dataKeys.currentKey(order_id),
        aadForStuckMessage(row.resend_of ?? row.id),
        message,
      )
    } catch {
      return 'The data of this order cannot be decrypted.'
    }
  }

  const advance = (orderId: number, lane: string | null): void => {
    if (sql.advance.run(orderId, lane).changes > 0) noteDue(IMMEDIATELY)
  }

  const noteNextInLane = (orderId: number, lane: string | null): void => {
    if (lane !== null) noteDue(sql.nextInLane.get(orderId, lane) ?? null)
  }

  // Reports jobs that were waiting for this one: jobs that exclude its lane, jobs in its excluded
  // lane, and the account's next delivery.
  const noteUnblocked = (job: ClaimedRow): void => {
    noteDue(job.next_excluding)
    noteNextInLane(job.order_id, job.excludes)
    if (job.queue !== 'work') finishedIn[job.queue].add(job.merchant)
  }

  // A delivery that finishes makes room for the next one of its merchant. This is looked up once
  // for all of a transaction.
  const noteNextOfMerchants = (): void => {
    for (const queue of ['event', 'ipn'] as const)
      for (const merchant of finishedIn[queue])
        for (const each of dueJobs.siblingsOf(merchant))
          noteDue(sql.nextInQueue.get(queue, each) ?? null)
  }

  // Deliveries are kept, so that they can be listed and resent. The journal records all other work.
  const setFinalState = (
    { id, queue }: Pick<ClaimedRow, 'id' | 'queue'>,
    as: FinalStatus,
  ): void => {
    if (queue === 'work') sql.remove.run(id)
    else sql.endClaim.run(as, id)
  }

  const finish = (job: ClaimedRow, as: FinalStatus): FinalStatus => {
    setFinalState(job, as)
    if (job.is_followed === 1) advance(job.order_id, job.lane)
    return as
  }

  const markStuck = (job: ClaimedRow, message: string): CompletionResult => {
    const encrypted = encryptMessage(job, message)
    if (job.resend_of !== null) {
      sql.markDeliveryStuck.run(encrypted, job.resend_of)
      sql.remove.run(job.id)
    } else {
      sql.markStuck.run(encrypted, job.id)
      advance(job.order_id, job.lane)
    }
    return 'stuck'
  }

  // Only deliveries have attempts. Until now, the claimed row was the record, so that a crash left
  // a trace.
  const recordAttempt = (
    job: ClaimedRow,
    outcome: Outcome,
    { report, isGood }: Pick<JobResult, 'report' | 'isGood'>,
  ): void => {
    const { order_id, attempt, started_by, started_at } = job
    if (attempt === null || started_by === null || started_at === null) return
    const delivery = job.resend_of ?? job.id
    const { durationMillis = null, status = null, error = null } = report ?? {}
    sql.insertAttempt.run(
      ...[delivery, attempt, started_by, started_at, outcome, durationMillis, status, error],
      report && encryptReport(dataKeys.currentKey(order_id), delivery, attempt, report),
    )
    if (isGood !== null) endpoints.noteAttempt(job, error === null, isGood)
  }

  // A resend has one attempt and is never retried.
  const finishResend = (
    { id, resend_of }: ClaimedRow,
    attemptResult: AttemptResult,
  ): FinalStatus => {
    sql.remove.run(id)
    if (attemptResult.type === 'retry') return 'stopped'
    if (outcomeOf(attemptResult) === 'accepted')
      sql.finishDelivery.run(attemptResult.status, resend_of)
    return attemptResult.status
  }

  const finishOrRetry = (
    job: ClaimedRow,
    { attemptResult, finalStatus }: CompletionWrite<number>,
  ): CompletionResult => {
    if (job.resend_of !== null) return finishResend(job, attemptResult)
    if (job.revoked === 1) return finish(job, 'stopped')
    if (finalStatus !== null) return finish(job, finalStatus)
    if (attemptResult.type === 'finished') return finish(job, attemptResult.status)
    sql.retry.run(attemptResult.dueAt, job.id)
    noteDue(attemptResult.dueAt)
    return 'retry'
  }

  const unclaim = ({ id, resend_of, attempt }: ClaimedRow): void => {
    if (resend_of === null) sql.unclaim.run(id)
    else sql.uncountResend.run(resend_of, attempt)
  }

  const releaseUnlessRevoked = (job: ClaimedRow, as: ReleasedAs): void => {
    if (as === 'started') recordAttempt(job, 'lost', NO_REPORT)
    else unclaim(job)
    if (job.revoked === 1) finish(job, 'stopped')
    else {
      sql.endClaim.run('pending', job.id)
      noteDue(IMMEDIATELY)
    }
    noteUnblocked(job)
  }

  /**
   * The claimed job, if the token is still valid. A token ends with the row number; the row stores
   * the rest.
   */
  const findClaimed = (token: string): ClaimedRow | undefined => {
    const dot = token.lastIndexOf('.')
    return sql.findClaimed.get(Number(token.slice(dot + 1)), token.slice(0, dot))
  }

  /**
   * `counted`: attempts, by row number, of the deliveries whose resends this claim has already
   * taken.
   */
  const claimRow = (
    row: DueJobRow,
    counted: Map<number, number>,
    at: number,
    leaseUntil: number,
  ): ClaimedJob => {
    const token = `${process.pid}.${boot}.${claims++}`
    const { resend_of: original } = row
    const resendAttempts = original === null ? undefined : sql.countResend.get(original)
    if (original !== null && resendAttempts !== undefined) counted.set(original, resendAttempts)
    const attempt = resendAttempts ?? (counted.get(row.id) ?? row.attempts) + 1
    const [by, since] = row.queue === 'work' ? [null, null] : [row.cause ?? 'schedule', at]
    sql.claim.run(token, leaseUntil, attempt, at, by, since, row.id)
    return {
      id: row.id,
      key: effectKey(row.order_ref, row.revision, row.lane),
      orderRef: row.order_ref,
      merchantRef: row.merchant_ref,
      lane: row.lane,
      expiresAt: row.expires_at,
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
    {
      revision,
      lane,
      queue,
      event,
      dueAt,
      expiresAt,
      excludes,
    }: Extract<EffectWrite, { type: 'do' }>,
    payload: Buffer | string,
  ): void => {
    const [merchant, owner] = queue === 'work' ? ['', null] : [merchantRef, account]
    sql.insert.run(
      orderId,
      revision,
      lane,
      queue,
      merchant,
      owner,
      payload,
      event,
      orderId,
      lane,
      dueAt,
      expiresAt,
      excludes,
      at,
    )
    noteDue(dueAt)
  }

  // No `advance` is needed: afterwards the lane holds at most a job in flight.
  const revoke = (orderId: number, lane: string): void => {
    for (const row of sql.unfinishedInLane.all(orderId, lane))
      if (row.state === 'claimed') sql.markRevoked.run(row.id)
      else {
        setFinalState(row, 'stopped')
        noteNextInLane(orderId, row.excludes)
      }
  }

  return {
    /** Call it first in each transaction. */
    begin: (): void => {
      nextDueAt = Number.POSITIVE_INFINITY
      for (const merchants of Object.values(finishedIn)) merchants.clear()
    },
    noteDue,
    /**
     * Call it last in each transaction. Returns the earliest time that was noted since `begin`.
     * Infinite: none was.
     */
    finish: (): number => {
      noteNextOfMerchants()
      return nextDueAt
    },
    /** The payload of each effect, as it will be stored. `key`: the order's data key. */
    encryptPayloads: ({ effects }: OrderWrite, key: DataKey): readonly StoredPayload[] =>
      effects.map((effect) => {
        if (effect.type !== 'do') return null
        const { revision, lane, work, hasNoPersonalData } = effect
        return hasNoPersonalData ? work : encrypt(key, aadForPayload(revision, lane), work)
      }),
    add: (orderId: number, write: OrderWrite, payloads: readonly StoredPayload[]): void => {
      for (const [n, effect] of write.effects.entries()) {
        const payload = payloads[n] ?? null
        if (effect.type === 'do') {
          if (payload !== null) insertPending(orderId, write, effect, payload)
        } else if (effect.type === 'revoke') revoke(orderId, effect.lane)
        else if (sql.expedite.run(write.at, orderId, effect.lane).changes > 0) noteDue(IMMEDIATELY)
      }
    },
    /** `now`: real time, used only for leases. */
    claim: (request: DueRequest, now: number): readonly ClaimedJob[] => {
      for (const job of sql.overdueClaims.all(now)) releaseUnlessRevoked(job, 'started')
      const counted = new Map<number, number>()
      const claim = (row: DueJobRow): ClaimedJob =>
        claimRow(row, counted, request.at, now + request.lease)
      for (const endpoint of request.slow ?? []) endpoints.noteSlow(endpoint)
      // Deliveries first, so that the jobs that exclude their lanes see them in flight.
      const deliveries = dueJobs
        .deliveries(request)
        .map(({ row, isGood }) => ({ ...claim(row), isGood }))
      return [...dueJobs.work(request).map(claim), ...deliveries]
    },
    findClaimed,
    /**
     * Finishes the job, retries it later, or makes it stuck if the completion has a fault. Keeps
     * the result of the attempt.
     */
    complete: (job: ClaimedRow, completion: CompletionWrite<number>): CompletionResult => {
      recordAttempt(job, outcomeOf(completion.attemptResult), completion)
      const result =
        completion.fault === null
          ? finishOrRetry(job, completion)
          : markStuck(job, completion.fault)
      noteUnblocked(job)
      return result
    },
    release: ({ token, as }: CommandInput<'release'>): void => {
      const job = findClaimed(token)
      if (job !== undefined) releaseUnlessRevoked(job, as)
    },
    retryStuckJob: ({ id, at }: CommandInput<'retryStuckJob'>): boolean => {
      noteDue(at)
      return sql.retryStuck.run(at, id).changes > 0
    },
  }
}

// Claims due jobs in PostgreSQL for any number of nodes. It skips rows that a write has locked, and
// each node sees what the node before it claimed. Only the database's clock decides what is due and
// when a lease ends.
import {
  type ClaimRequest,
  type EffectPayload,
  type EndpointRef,
  effectKey,
  type FullStore,
  type Job,
  UnavailableError,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { aadForPayload, type DataKey } from '../encryption/cipher.ts'
import { createClaimedJobs } from '../sql/claimed-jobs.ts'
import { parseUnencryptedPayload } from '../sql/decode-order-row.ts'
import type { OrderCache } from '../sql/order-cache.ts'
import type { Claim, OrderJobs } from '../sql/order-jobs.ts'
import type { Query } from './connection/connection.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import {
  CLAIM,
  CLAIM_GOOD,
  type ClaimedRow,
  type ClaimRow,
  type ClaimState,
  LEASES,
  type LeasedRow,
  NOTE_SLOW,
  type PayloadRow,
  READ_PAYLOADS,
} from './sql/claim-jobs.sql.ts'
import { columnsOf } from './sql/values.ts'
import { answerOrUnavailable, postgresUnavailable } from './unavailable.ts'

export type ClaimingOptions = {
  /** Real time: this process's best estimate of the database's clock. */
  readonly realNow: () => number
  /** For tests: leases are measured by `realNow` instead of the database's clock. */
  readonly isClockOurs: boolean
  /** Distinguishes this process's claims from those of all others. */
  readonly boot: string
}

// If another node claimed in between, the claim is tried again, a little later each time.
const CLAIM_TRIES = 6
/** Milliseconds. */
const CLAIM_MILLIS_MAX = 50

/** `onKeyChange`: called if another server or a command has erased a shopper's data. */
export const createClaim = (
  query: Query,
  dataKeys: DataKeys,
  cache: OrderCache<DataKey>,
  orderJobs: OrderJobs<DataKey, never>,
  options: ClaimingOptions,
  onKeyChange: () => void,
): FullStore['claim'] => {
  const claimOnce = createClaimStatement(query, options)
  const readPayloads = createPayloadReader(query, dataKeys, cache)
  const leases = watchLeases(query, options)
  const claimedJobs = createClaimedJobs(dataKeys.cipher.keyIds, orderJobs)

  let keyChangesSeen: number | null = null
  const noteKeyChanges = (count: number): void => {
    if (keyChangesSeen !== null && count !== keyChangesSeen) onKeyChange()
    keyChangesSeen = count
  }

  // A claim that came too late is tried again once the other node may be done. That takes about as
  // long as one of this node's own claims.
  let claimMillis = 1

  const releaseOverdue = async (): Promise<void> => {
    for (let overdue = await leases.readOverdue(); overdue.length > 0; ) {
      const released = await orderJobs.release(overdue, 'started')()
      if (E.isLeft(released)) throw new UnavailableError(released.left)
      overdue = await leases.readOverdue()
    }
  }

  const openRows = async (
    request: ClaimRequest,
    rows: readonly ClaimRow[],
  ): Promise<readonly Job[]> => {
    const payloadOf = await readPayloads(rows)
    const open = (row: ClaimRow) => () => toJob(row, payloadOf(row))
    return claimedJobs.openAll(
      request,
      rows.map((row) => ({ ...toClaim(row), open: open(row) })),
    )
  }

  const claimWithRetries = async (buildRequest: () => ClaimRequest): Promise<readonly Job[]> => {
    const unreported = claimedJobs.takeUnreportedError()
    if (unreported !== null) throw new UnavailableError(unreported)
    for (let tried = 1; ; tried++) {
      const request = buildRequest()
      const { slow = [] } = request
      if (slow.length > 0) await query(NOTE_SLOW, ...endpointColumns(slow))
      await releaseOverdue()
      const startedAt = performance.now()
      const { rows, isLate, keyChanges } = await claimOnce(
        request,
        claimedJobs.keyFilterFor(request),
      )
      leases.noteClaim(request.lease)
      noteKeyChanges(keyChanges)
      if (!isLate) {
        claimMillis = Math.min(CLAIM_MILLIS_MAX, performance.now() - startedAt)
        return openRows(request, rows)
      }
      if (tried >= CLAIM_TRIES) return []
      await new Promise((resolve) => setTimeout(resolve, tried * Math.random() * claimMillis))
    }
  }

  // This node's claims run one after another, so that they do not compete with each other for a
  // turn in the database.
  let lastClaim: Promise<unknown> = Promise.resolve()
  const runInTurn = <A>(run: () => Promise<A>): Promise<A> => {
    const turn = lastClaim.then(run, run)
    lastClaim = turn.catch(() => {})
    return turn
  }

  return (buildRequest) =>
    answerOrUnavailable(() => runInTurn(() => claimWithRetries(buildRequest)))
}

// A payload is in the row if it has no personal data. Otherwise it is encrypted, and cached if this
// process created the job.
const createPayloadReader = (
  query: Query,
  dataKeys: DataKeys,
  { payloadOf }: OrderCache<DataKey>,
) => {
  const readStored = async (
    rows: readonly ClaimRow[],
  ): Promise<(row: ClaimRow) => PayloadRow | undefined> => {
    if (rows.length === 0) return () => undefined
    try {
      const payloadRows = await query<PayloadRow>(READ_PAYLOADS, ...columnsOf(rows))
      const stored = new Map(payloadRows.map((row) => [row.id, row]))
      return ({ id }) => stored.get(id)
    } catch (cause) {
      return () => {
        throw new UnavailableError(postgresUnavailable(cause))
      }
    }
  }

  // Throws if it was not stored in this form, at this place.
  const decryptPayload = (
    { order_ref, revision, lane }: ClaimRow,
    stored: PayloadRow | undefined,
  ): EffectPayload => {
    if (stored === undefined) throw new Error('The payload of the job is missing.')
    const { work, ...columns } = stored
    return JSON.parse(
      dataKeys.decrypt(order_ref, columns, aadForPayload(revision, lane), work),
    ) as EffectPayload
  }

  /**
   * Reads the payloads of claimed jobs. The function that it returns throws for a job that cannot
   * be read.
   */
  return async (rows: readonly ClaimRow[]): Promise<(row: ClaimRow) => EffectPayload> => {
    const cached = new Map(rows.map((row) => [row, payloadOf(keyOf(row))]))
    const isMissing = (row: ClaimRow): boolean =>
      row.plain_work === null && cached.get(row) === undefined
    const storedOf = await readStored(rows.filter(isMissing))
    return (row) =>
      row.plain_work === null
        ? (cached.get(row) ?? decryptPayload(row, storedOf(row)))
        : parseUnencryptedPayload(row.plain_work.toString())
  }
}

// Reading the leases costs a tenth of a claim under load. Between two reads no lease can expire: at
// the first one none ended earlier, and a later claim's ends a whole lease later.
const watchLeases = (query: Query, { realNow, isClockOurs }: ClaimingOptions) => {
  let readAt = Number.POSITIVE_INFINITY
  let nextReadAt = Number.NEGATIVE_INFINITY
  return {
    /** The claims whose lease has expired. They must be released before anything is claimed. */
    readOverdue: async (): Promise<readonly Claim[]> => {
      const now = realNow()
      const wasSetBack = now < readAt
      if (now < nextReadAt && !wasSetBack) return []
      const rows = await query<LeasedRow>(LEASES, isClockOurs ? now : null)
      const overdue = rows.filter(({ is_overdue }) => is_overdue)
      readAt = now
      nextReadAt = rows[0]?.lease_until ?? Number.POSITIVE_INFINITY
      return overdue.map(toClaim)
    },
    noteClaim: (lease: number): void => {
      nextReadAt = Math.min(nextReadAt, realNow() + lease)
    },
  }
}

const endpointColumns = (endpoints: readonly EndpointRef[]): readonly (readonly string[])[] => [
  endpoints.map(({ merchantRef }) => merchantRef),
  endpoints.map(({ kind }) => kind),
]

const createClaimStatement = (query: Query, { realNow, isClockOurs, boot }: ClaimingOptions) => {
  let claims = 0

  /** `keyIds`: the master keys that the jobs may be encrypted under. Null: any key. */
  return async (
    { at, lease, capacity, perAccount }: ClaimRequest,
    keyIds: readonly string[] | null,
  ) => {
    const sentAt = realNow()
    const rows = await query<ClaimState & (ClaimRow | { readonly order_ref: null })>(
      capacity.notGood > 0 || perAccount === null ? CLAIM : CLAIM_GOOD,
      at - sentAt,
      isClockOurs ? sentAt : null,
      lease,
      Math.max(0, capacity.deliveries),
      Math.max(0, capacity.notGood),
      Math.max(0, capacity.internal),
      perAccount,
      `${boot}.${claims++}`,
      keyIds,
    )
    return {
      rows: rows
        .filter((row): row is ClaimState & ClaimRow => row.order_ref !== null)
        .sort((a, b) => a.rank - b.rank || a.due_at - b.due_at || a.id - b.id),
      /** Another node claimed in between, so this claim took nothing. */
      isLate: rows[0]?.has_turn !== true,
      /** How many data keys have been replaced so far. */
      keyChanges: rows[0]?.key_changes ?? 0,
    }
  }
}

const keyOf = ({ order_ref, revision, lane }: ClaimRow): string =>
  effectKey(order_ref, revision, lane)

const toJob = (row: ClaimRow, payload: EffectPayload): Job => ({
  key: keyOf(row),
  orderRef: row.order_ref,
  merchantRef: row.merchant_ref,
  lane: row.lane,
  payload,
  expiresAt: row.expires_at,
  attempt: row.attempt,
  isResend: row.is_resend,
  ...(row.queue !== 'work' && { isGood: row.is_good }),
  firstAt: row.first_at,
  startedAt: row.started_at,
  token: tokenOf(row),
})

const toClaim = (row: ClaimedRow): Claim => ({ orderRef: row.order_ref, token: tokenOf(row) })

// A resend is in no lane.
const tokenOf = ({
  token: rowToken,
  id,
  delivery_id,
  attempt,
  lane,
  is_resend,
  queue,
  merchant_ref,
}: ClaimedRow): string =>
  [rowToken, id, delivery_id, attempt, queue, is_resend ? '' : lane, merchant_ref].join('|')

export type ClaimToken = NonNullable<ReturnType<typeof decodeToken>>

/**
 * The fencing token of a claim. The part before the first `|` is stored in the row and is new with
 * every claim. The rest describes the row, so that completing the job needs no read. Null if the
 * text is not a token of a claim.
 */
export const decodeToken = (token: string) => {
  const [rowToken, id, deliveryId, attempt, queue, lane, ...merchantRef] = token.split('|')
  if (rowToken === undefined || lane === undefined) return null
  return {
    rowToken,
    id: Number(id),
    /**
     * The row of the delivery. For a resend, this is the finished delivery; otherwise it is the
     * job's own row.
     */
    deliveryId: Number(deliveryId),
    attempt: Number(attempt),
    lane,
    queue,
    merchantRef: merchantRef.join('|'),
    isWork: queue === 'work',
    isResend: id !== deliveryId,
  }
}

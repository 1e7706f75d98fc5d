// Claims due jobs in PostgreSQL for any number of nodes. It skips rows that a write has locked, and each node sees what the
// node before it claimed. Only the database's clock decides what is due and when a lease ends.
import {
  type ClaimRequest,
  type EffectPayload,
  effectKey,
  type Job,
  toUnavailable,
  type Unavailable,
} from '@plazo/core'
import { aadForPayload } from '../encryption/cipher.ts'
import { parseUnencryptedPayload } from '../sql/decode-order-row.ts'
import { createSharesEncoder } from '../sql/merchant-shares.ts'
import type { Connection } from './connection/connection.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { CLAIM, type ClaimRow } from './sql/claim-jobs.sql.ts'

export type ClaimingOptions = {
  /** Real time: this process's best estimate of the database's clock. */
  readonly realNow: () => number
  /** For tests: leases are measured by `realNow` instead of the database's clock. */
  readonly isClockOurs: boolean
  /** Distinguishes this process's claims from those of all others. */
  readonly boot: string
}

export type ClaimResult = {
  readonly entries: readonly Job[]
  /** Jobs that cannot be decrypted with the right keys and never can be, and why. */
  readonly unreadable: readonly { readonly orderRef: string; readonly token: string; readonly message: string }[]
  /** Jobs that are encrypted under a master key that this server lacks, and the error. They must be released. */
  readonly undecryptable: readonly { readonly orderRef: string; readonly token: string; readonly error: Unavailable }[]
  /** Claims whose lease has expired. They must be released before anything is claimed. */
  readonly overdue: readonly { readonly orderRef: string; readonly token: string }[]
  /** Another node claimed in between, so this claim took nothing. */
  readonly isLate: boolean
  /** How many data keys have been replaced so far. */
  readonly keyChanges: number
}

const BRACE = '{'.charCodeAt(0)

// A resend is in no lane.
const tokenOf = ({ token: rowToken, id, delivery_id, attempt, lane, is_resend, queue: kind }: ClaimRow): string => {
  const own = is_resend ? '' : lane
  const token: ClaimToken = { rowToken, id, deliveryId: delivery_id, attempt, lane: own, isWork: kind === 'work' }
  return encodeToken(token)
}

export const createClaim = ({ query }: Connection, dataKeys: DataKeys, options: ClaimingOptions) => {
  // The payload is encrypted, or plain JSON without personal data. Throws if it was not stored in that form, at this place.
  const decryptPayload = ({ order_ref, revision, lane, work, ...columns }: ClaimRow): EffectPayload =>
    work[0] === BRACE
      ? parseUnencryptedPayload(work.toString())
      : (JSON.parse(
          dataKeys.decrypt(dataKeys.decryptKeyColumns(order_ref, columns), aadForPayload(revision, lane), work),
        ) as EffectPayload)

  let claims = 0
  const encodeShares = createSharesEncoder()

  /** `keyIds`: the master keys that the jobs may be encrypted under. Null: any key. */
  return async (
    { at, lease, capacity, perMerchant, shares }: ClaimRequest,
    keyIds: readonly string[] | null,
  ): Promise<ClaimResult> => {
    const sentAt = options.realNow()
    const rows = await query<ClaimRow>(
      CLAIM,
      at,
      sentAt,
      lease,
      Math.max(0, capacity.deliveries),
      Math.max(0, capacity.internal),
      perMerchant,
      options.isClockOurs ? sentAt : null,
      `${options.boot}.${claims++}`,
      keyIds,
      encodeShares(shares?.event),
      encodeShares(shares?.ipn),
      shares?.others ?? perMerchant,
    )
    const entries: Job[] = []
    const unreadable: { orderRef: string; token: string; message: string }[] = []
    const undecryptable: { orderRef: string; token: string; error: Unavailable }[] = []
    const jobRows = rows
      .filter(({ what }) => what === 'job')
      .sort((a, b) => a.rank - b.rank || a.due_at - b.due_at || a.id - b.id)
    for (const row of jobRows) {
      const { order_ref: orderRef, lane, is_resend } = row
      const token = tokenOf(row)
      try {
        entries.push({
          key: effectKey(orderRef, row.revision, lane),
          orderRef,
          merchantRef: row.merchant_ref,
          lane,
          work: decryptPayload(row),
          expiresAt: row.expires_at,
          attempt: row.attempt,
          isResend: is_resend,
          firstAt: row.first_at,
          startedAt: row.started_at,
          token,
        })
      } catch (cause) {
        const error = toUnavailable(cause)
        if (error.code === 'key_missing') undecryptable.push({ orderRef, token, error })
        else unreadable.push({ orderRef, token, message: error.message })
      }
    }
    return {
      entries,
      unreadable,
      undecryptable,
      overdue: rows
        .filter(({ what }) => what === 'overdue')
        .map((row) => ({ orderRef: row.order_ref, token: tokenOf(row) })),
      isLate: rows.some(({ what }) => what === 'late'),
      keyChanges: rows.find(({ what }) => what === 'keys')?.id ?? 0,
    }
  }
}

/**
 * The fencing token of a claim. The part before the first `|` is stored in the row and is new with every claim. The rest
 * describes the row, so that completing the job needs no read.
 */
export type ClaimToken = {
  /** The part that is stored in the row. */
  readonly rowToken: string
  readonly id: number
  /** The row of the delivery. For a resend, this is the finished delivery; otherwise it is the job's own row. */
  readonly deliveryId: number
  /** The number of the delivery's attempt. */
  readonly attempt: number
  readonly lane: string
  readonly isWork: boolean
}

const encodeToken = ({ rowToken, id, deliveryId, attempt, lane, isWork }: ClaimToken): string =>
  `${rowToken}|${id}|${deliveryId}|${attempt}|${isWork ? 'work' : 'delivery'}|${lane}`

/** Null if the text is not a token of a claim. */
export const decodeToken = (token: string): ClaimToken | null => {
  const [rowToken, id, deliveryId, attempt, kind, lane] = token.split('|')
  return rowToken === undefined || lane === undefined
    ? null
    : {
        rowToken,
        id: Number(id),
        deliveryId: Number(deliveryId),
        attempt: Number(attempt),
        lane,
        isWork: kind === 'work',
      }
}

export const isResend = ({ id, deliveryId }: ClaimToken): boolean => id !== deliveryId

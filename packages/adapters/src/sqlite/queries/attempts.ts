// The attempts of deliveries. The claimed outbox row is the record of an attempt in flight, so that a crash leaves a trace. Its
// own row is written when the job completes. Every function here runs inside the caller's transaction.
import { type Attempt, type Outcome, RESPONSES_SHOWN, type Report, type Trigger } from '@plazo/core'
import { aadForResponse, encrypt } from '../../encryption/cipher.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import type { Database } from '../schema/database.ts'

/** An attempt in flight, as its outbox row records it. */
type AttemptInFlight = {
  readonly order_id: number
  /** The delivery. */
  readonly delivery_id: number
  readonly n: number
  readonly started_by: Trigger
  readonly started_at: number
}

export type Attempts = {
  readonly write: (attempt: AttemptInFlight, outcome: Outcome, report: Report | null) => void
  readonly of: (orderId: number, deliveryId: number) => readonly Attempt[]
}

type AttemptRow = {
  readonly n: number
  readonly cause: Trigger
  readonly started_at: number
  readonly outcome: Outcome | null
  readonly duration: number | null
  readonly status: number | null
  readonly error: string | null
  readonly response: Buffer | string | null
}

const IN_FLIGHT = `
  select attempt as n, started_by as cause, started_at, null, null, null, null, null from outbox where state = 'claimed'`

export const sqliteAttempts = (db: Database, dataKeys: DataKeys): Attempts => {
  const insert = db.prepare(`
    insert into attempts (delivery_id, n, cause, started_at, outcome, duration, status, error, response)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  // The unary plus is explained at `stablePlan`, which only knows parameters without a name.
  const all = db.prepare<[{ id: number }], AttemptRow>(`
    select n, cause, started_at, outcome, duration, status, error,
      case when n > (select max(n) from attempts where delivery_id = +@id) - ${RESPONSES_SHOWN} then response end as response
    from attempts where delivery_id = +@id
    union all ${IN_FLIGHT} and id = +@id
    union all ${IN_FLIGHT} and resend_of = +@id
    order by n`)

  const responseOf = (orderId: number, deliveryId: number, n: number, stored: AttemptRow['response']): string | null =>
    Buffer.isBuffer(stored) ? dataKeys.decrypt(orderId, aadForResponse(deliveryId, n), stored) : stored

  return {
    write: ({ order_id, delivery_id, n, started_by, started_at }, outcome, report) => {
      const { durationMillis = null, status = null, error = null, response = null } = report ?? {}
      // A merchant's response may contain anything, including the shopper's data.
      const stored = response
        ? encrypt(dataKeys.currentKey(order_id), aadForResponse(delivery_id, n), response)
        : response
      insert.run(delivery_id, n, started_by, started_at, outcome, durationMillis, status, error, stored)
    },
    of: (orderId, deliveryId) =>
      all.all({ id: deliveryId }).map(({ n, cause, started_at, outcome, duration, status, error, response }) => ({
        n,
        trigger: cause,
        startedAt: started_at,
        outcome,
        durationMillis: duration,
        status,
        error,
        response: responseOf(orderId, deliveryId, n, response),
      })),
  }
}

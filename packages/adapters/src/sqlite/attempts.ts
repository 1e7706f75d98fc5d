// The attempts of deliveries: begun with the claim, so that a crash leaves a trace, and completed with the settling.
// Every function here runs inside a transaction of its caller's.
import type { Attempt, Outcome, Report, Trigger } from '@plazo/core'
import { placeOfResponse } from '../rows/places.ts'
import { seal } from '../sealing/sealer.ts'
import type { Database } from './database.ts'
import type { Vault } from './vault.ts'

export type Attempts = {
  readonly begin: (deliveryId: number, n: number, trigger: Trigger, startedAt: number) => void
  /** Completes the one in flight, if there is one. */
  readonly complete: (orderId: number, deliveryId: number, outcome: Outcome, report: Report | null) => void
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

/** A merchant may answer anything, his customer's data too. */
export const sqliteAttempts = (db: Database, vault: Vault): Attempts => {
  const begin = db.prepare('insert into attempts (delivery_id, n, cause, started_at) values (?, ?, ?, ?)')
  const complete = db.prepare(`
    update attempts set outcome = ?, duration = ?, status = ?, error = ?, response = ?
    where delivery_id = ? and outcome is null`)
  const inFlight = db
    .prepare<[number], number>('select n from attempts where delivery_id = ? and outcome is null')
    .pluck()
  const all = db.prepare<[number], AttemptRow>('select * from attempts where delivery_id = ? order by n')

  const keptResponse = (orderId: number, deliveryId: number, response: string | null): Buffer | string | null => {
    const n = response ? inFlight.get(deliveryId) : undefined
    return response && n !== undefined
      ? seal(vault.current(orderId), placeOfResponse(deliveryId, n), response)
      : response
  }

  const responseOf = (orderId: number, deliveryId: number, n: number, kept: AttemptRow['response']): string | null =>
    Buffer.isBuffer(kept) ? vault.open(orderId, placeOfResponse(deliveryId, n), kept) : kept

  return {
    begin: (deliveryId, n, trigger, startedAt) => begin.run(deliveryId, n, trigger, startedAt),
    complete: (orderId, deliveryId, outcome, report) => {
      const { durationMillis = null, status = null, error = null, response = null } = report ?? {}
      const kept = keptResponse(orderId, deliveryId, response)
      complete.run(outcome, durationMillis, status, error, kept, deliveryId)
    },
    of: (orderId, deliveryId) =>
      all.all(deliveryId).map(({ n, cause, started_at, outcome, duration, status, error, response }) => ({
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

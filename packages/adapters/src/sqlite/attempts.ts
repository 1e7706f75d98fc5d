// The attempts of deliveries: begun with the claim, so that a crash leaves a trace, and completed with the settling.
// Every function here runs inside a transaction of its caller's.
import type { Attempt, Outcome, Report, Trigger } from '@plazo/core'
import type { Database } from './database.ts'

export type Attempts = {
  readonly begin: (deliveryId: number, n: number, trigger: Trigger, startedAt: number) => void
  /** Completes the one in flight, if there is one. */
  readonly complete: (deliveryId: number, outcome: Outcome, report: Report | null) => void
  readonly of: (deliveryId: number) => readonly Attempt[]
}

type AttemptRow = {
  readonly n: number
  readonly cause: Trigger
  readonly started_at: number
  readonly outcome: Outcome | null
  readonly duration: number | null
  readonly status: number | null
  readonly error: string | null
  readonly response: string | null
}

export const sqliteAttempts = (db: Database): Attempts => {
  const begin = db.prepare('insert into attempts (delivery_id, n, cause, started_at) values (?, ?, ?, ?)')
  const complete = db.prepare(`
    update attempts set outcome = ?, duration = ?, status = ?, error = ?, response = ?
    where delivery_id = ? and outcome is null`)
  const all = db.prepare<[number], AttemptRow>('select * from attempts where delivery_id = ? order by n')

  return {
    begin: (deliveryId, n, trigger, startedAt) => begin.run(deliveryId, n, trigger, startedAt),
    complete: (deliveryId, outcome, report) => {
      const { durationMillis = null, status = null, error = null, response = null } = report ?? {}
      complete.run(outcome, durationMillis, status, error, response, deliveryId)
    },
    of: (deliveryId) =>
      all.all(deliveryId).map(({ n, cause, started_at, outcome, duration, status, error, response }) => ({
        n,
        trigger: cause,
        startedAt: started_at,
        outcome,
        durationMillis: duration,
        status,
        error,
        response,
      })),
  }
}

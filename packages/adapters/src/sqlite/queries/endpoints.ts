// Lists endpoints in SQLite. The writer counts their failures.
import type { Endpoint, Endpoints } from '@plazo/core/ports'
import type { Database } from '../schema/database.ts'
import { valueOrUnavailable } from '../unavailable.ts'

const ENDPOINT = `
  select merchant as merchantRef, kind, last_good_at as lastGoodAt, failing_since as failingSince, failures
  from endpoints`

/** Beyond this, a count says little, and costs more. */
const WAITING_MAX = 10_000

export const sqliteEndpoints = (db: Database): Endpoints => {
  const all = db.prepare<[number], Endpoint>(`${ENDPOINT} order by merchant, kind limit ?`)
  const ofMerchant = db.prepare<[string, number], Endpoint>(
    `${ENDPOINT} where merchant = ? order by kind limit ?`,
  )
  const failing = db.prepare<[number], Endpoint>(
    `${ENDPOINT} where failing_since is not null order by failing_since, merchant, kind limit ?`,
  )
  const failingOfMerchant = db.prepare<[string, number], Endpoint>(
    `${ENDPOINT} where merchant = ? and failing_since is not null order by failing_since, kind limit ?`,
  )
  const waiting = db
    .prepare<[string, string], number>(
      `select count(*) from (select 1 from outbox where state = 'pending' and queue = ? and merchant = ? limit ${WAITING_MAX})`,
    )
    .pluck()

  return {
    list: ({ merchantRef, isFailing, limit }) =>
      valueOrUnavailable(() => {
        if (merchantRef === null) return (isFailing ? failing : all).all(limit)
        return (isFailing ? failingOfMerchant : ofMerchant).all(merchantRef, limit)
      }),
    waiting: (merchantRef, kind) => valueOrUnavailable(() => waiting.get(kind, merchantRef) ?? 0),
  }
}

// Lists endpoints and their hours in SQLite. The writer counts them.
import type { Endpoint, EndpointHour, Endpoints } from '@plazo/core/ports'
import type { Database } from '../schema/database.ts'
import { valueOrUnavailable } from '../unavailable.ts'
import type { RunCommand } from '../writer/commands.ts'

const ENDPOINT = `
  select merchant as merchantRef, kind, last_good_at as lastGoodAt, failing_since as failingSince, failures
  from endpoints`

/** Beyond this, a count says little, and costs more. */
const WAITING_MAX = 10_000

export const sqliteEndpoints = (db: Database, runCommand: RunCommand): Endpoints => {
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
  const hours = db.prepare<[string, number], EndpointHour>(`
    select merchant as merchantRef, kind, address, hour, attempts, failures, lost, last_at as lastAt,
      last_status as lastStatus, last_error as lastError
    from endpoint_hours indexed by endpoint_hours_merchant
    where merchant in (select value from json_each(?)) and hour >= ?`)
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
    hours: (merchantRefs, since) =>
      valueOrUnavailable(() => hours.all(JSON.stringify(merchantRefs), since)),
    waiting: (merchantRef, kind) => valueOrUnavailable(() => waiting.get(kind, merchantRef) ?? 0),
    dropHours: (before) => runCommand('dropEndpointHours', before),
  }
}

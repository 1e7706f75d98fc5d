// Lists endpoints and their hours in SQLite. The writer counts them.
import type { Endpoint, EndpointHour, Endpoints } from '@plazo/core/ports'
import type { Database } from '../schema/database.ts'
import { valueOrUnavailable } from '../unavailable.ts'
import type { RunCommand } from '../writer/commands.ts'

const ENDPOINT = `
  select merchant as merchantRef, kind, last_good_at as lastGoodAt, failing_since as failingSince, failures,
    paused_until as pausedUntil
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
  const HOUR = `
    select merchant as merchantRef, kind, address, hour, attempts, failures, lost, last_at as lastAt,
      last_status as lastStatus, last_error as lastError
    from endpoint_hours`
  const ORDER = 'order by merchant, kind, address, hour'
  const hours = db.prepare<[number], EndpointHour>(
    `${HOUR} indexed by endpoint_hours_hour where hour >= ? ${ORDER}`,
  )
  const hoursOfMerchant = db.prepare<[string, number], EndpointHour>(
    `${HOUR} where merchant = ? and hour >= ? ${ORDER}`,
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
    hours: (merchantRef, since) =>
      valueOrUnavailable(() =>
        merchantRef === null ? hours.all(since) : hoursOfMerchant.all(merchantRef, since),
      ),
    waiting: (merchantRef, kind) => valueOrUnavailable(() => waiting.get(kind, merchantRef) ?? 0),
    pause: (merchantRef, kind, until) => runCommand('pauseEndpoint', { merchantRef, kind, until }),
    dropHours: (before) => runCommand('dropEndpointHours', before),
  }
}

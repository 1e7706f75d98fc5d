// Lists endpoints in PostgreSQL. The write statement counts them.
import type { Endpoint, Endpoints } from '@plazo/core/ports'
import { type Connection, statement } from '../connection/connection.ts'
import { answerOrUnavailable } from '../unavailable.ts'

const ENDPOINT = `
  select merchant as "merchantRef", kind, last_good_at as "lastGoodAt", failing_since as "failingSince", failures
  from plazo.endpoints`

const BY_NAME = 'order by merchant, kind limit $1'
const BY_AGE = 'failing_since is not null order by failing_since, merchant, kind limit $1'

const ALL = statement('endpoints')`${ENDPOINT} ${BY_NAME}`
const OF_MERCHANT = statement('endpoints-of-merchant')`${ENDPOINT} where merchant = $2 ${BY_NAME}`
const FAILING = statement('endpoints-failing')`${ENDPOINT} where ${BY_AGE}`
const FAILING_OF_MERCHANT = statement('endpoints-failing-of-merchant')`
  ${ENDPOINT} where merchant = $2 and ${BY_AGE}`

/** Beyond this, a count says little, and costs more. */
const WAITING_MAX = 10_000

const WAITING = statement('endpoint-waiting')`
  select count(*)::integer as count from (
    select from plazo.outbox where state = 'pending' and queue = $1 and merchant = $2 limit ${WAITING_MAX}) w`

export const postgresEndpoints = ({ query }: Connection): Endpoints => ({
  list: ({ merchantRef, isFailing, limit }) =>
    answerOrUnavailable(() =>
      merchantRef === null
        ? query<Endpoint>(isFailing ? FAILING : ALL, limit)
        : query<Endpoint>(isFailing ? FAILING_OF_MERCHANT : OF_MERCHANT, limit, merchantRef),
    ),
  waiting: (merchantRef, kind) =>
    answerOrUnavailable(async () => {
      const [row] = await query<{ readonly count: number }>(WAITING, kind, merchantRef)
      return row?.count ?? 0
    }),
})

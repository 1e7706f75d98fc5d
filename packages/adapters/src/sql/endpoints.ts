// Lists endpoints in both SQL stores. The write that records an attempt also writes their rows.
import type { Endpoint, Endpoints } from '@plazo/core/internal'
import type { Running } from '../store/queue.ts'
import type { Dialect } from './dialect.ts'

/** Beyond this, a count says little, and costs more. */
const WAITING_MAX = 10_000

type EndpointsDialect = Dialect & {
  /** The jobs that run in this process. */
  readonly running: () => readonly Running[]
}

export const createEndpoints = ({
  schema,
  query,
  orUnavailable,
  running,
}: EndpointsDialect): Endpoints => ({
  list: ({ merchantRef, isFailing, limit }) =>
    orUnavailable(() =>
      query<Endpoint>(
        (bind) => `
          select merchant as "merchantRef", kind, last_good_at as "lastGoodAt", failing_since as "failingSince", failures
          from ${schema}endpoints
          where ${merchantRef === null ? 'true' : `merchant = ${bind(merchantRef)}`} ${isFailing ? 'and failing_since is not null' : ''}
          order by ${isFailing ? 'failing_since,' : ''} merchant, kind limit ${bind(limit)}`,
      ),
    ),
  waiting: (merchantRef, kind) =>
    orUnavailable(async () => {
      const [row] = await query<{ readonly count: number }>(
        (bind) => `
          select count(*) as count from (
            select 1 from ${schema}outbox
            where state = 'pending' and queue <> 'work' and queue = ${bind(kind)} and merchant = ${bind(merchantRef)} limit ${WAITING_MAX}) w`,
      )
      const started = running().filter(
        ({ merchant, queue }) => merchant === merchantRef && queue === kind,
      )
      return Math.max(0, (row?.count ?? 0) - started.length)
    }),
})

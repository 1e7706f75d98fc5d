// When jobs are due, in both SQL stores: a dispatcher sleeps until then, and alerts measure how late it is.
import type { QueueName } from '@plazo/core/internal'
import type { Base, DueKey } from '../store/base.ts'
import type { Dialect } from './dialect.ts'

/** Null: none is. */
type DueTimes = { readonly [queue in QueueName]: number | null }

const NONE: DueTimes = { work: null, event: null, ipn: null }

/** When the first job of each queue is due later than an instant, except some jobs. */
export const readDueTimes = async (
  { schema, query, jsonElements }: Dialect,
  after: number,
  except: readonly Pick<DueKey, 'order' | 'n'>[],
): Promise<DueTimes> => {
  const json = JSON.stringify(except)
  // No database has infinities of integers. A cast instant influences no plan, so that SQLite keeps it.
  const at = Math.max(after, Number.MIN_SAFE_INTEGER)
  const [times = NONE] = await query<DueTimes>((bind) => {
    const columns = Object.keys(NONE).map(
      (queue) => `(
        select due_at from ${schema}outbox
        where state = 'pending' and queue = '${queue}' and due_at > cast(${bind(at)} as bigint) and (order_id, n) not in (
          select cast(value ->> 'order' as bigint), cast(value ->> 'n' as integer) from ${jsonElements}(${bind(json)}))
        order by due_at limit 1) as ${queue}`,
    )
    return `select ${columns.join(', ')}`
  }, 'jobs-next-due')
  return times
}

export const nextDueAt =
  (dialect: Dialect): Base<unknown, unknown>['nextDueAt'] =>
  (after) =>
    dialect.orUnavailable(async () => {
      const times = Object.values(await readDueTimes(dialect, after, []))
      const instants = times.filter((at) => at !== null)
      return instants.length === 0 ? null : Math.min(...instants)
    })

// Which jobs are due and when, in both SQL stores: a dispatcher claims them, or sleeps until then, and
// alerts measure how late they are.
import type { QueueName } from '@plazo/core/internal'
import type { Base, DueKey, DueRow } from '../store/base.ts'
import { getRight } from '../store/tokens.ts'
import type { Dialect } from './dialect.ts'
import type { Bind } from './order-conditions.ts'

/** The columns of a job that both stores read, as its members. */
export const JOB_COLUMNS = `
  n, revision, lane, queue, merchant as "merchantRef", account, event, state, due_at as "dueAt", expires_at as "expiresAt",
  excludes, attempts, tries, first_at as "firstAt", revoked as "isRevoked", cause, made_at as "madeAt"`

/** Null: none is. */
type DueTimes = { readonly [queue in QueueName]: number | null }

const NONE: DueTimes = { work: null, event: null, ipn: null }
const QUEUES = Object.keys(NONE)

// No database has infinities of integers. A cast value influences no plan, so that SQLite keeps it.
const bindNumber = (bind: Bind, value: number): string =>
  `cast(${bind(Math.max(value, Number.MIN_SAFE_INTEGER))} as bigint)`

/** When the first job of each queue is due later than an instant, except some jobs. */
export const readDueTimes = async (
  { schema, query, jsonElements }: Dialect,
  after: number,
  except: readonly Pick<DueKey, 'order' | 'n'>[],
): Promise<DueTimes> => {
  const json = JSON.stringify(except)
  const [times = NONE] = await query<DueTimes>((bind) => {
    const columns = QUEUES.map(
      (queue) => `(
        select due_at from ${schema}outbox
        where state = 'pending' and queue = '${queue}' and due_at > ${bindNumber(bind, after)} and (order_id, n) not in (
          select cast(value ->> 'order' as bigint), cast(value ->> 'n' as integer) from ${jsonElements}(${bind(json)}))
        order by due_at limit 1) as ${queue}`,
    )
    return `select ${columns.join(', ')}`
  }, 'jobs-next-due')
  return times
}

/** Reads no more of each index than it returns. */
export const dueJobs = (
  dialect: Dialect,
): Pick<Base<unknown, unknown>, 'due' | 'dueOf' | 'goodEndpoints' | 'nextDueAt'> => {
  const { schema, query } = dialect
  const orThrow = <A>(run: () => Promise<A>): Promise<A> => getRight(dialect.orUnavailable(run))

  const readAfter = (
    name: string,
    indexes: readonly ((bind: Bind) => string)[],
    { dueAt, order, n }: DueKey,
    limit: number,
  ) =>
    orThrow(() =>
      query<DueRow>((bind) => {
        const parts = indexes.map((index) => {
          const after = [dueAt, order, n].map((value) => bindNumber(bind, value)).join(', ')
          return `
            select * from (
              select due_at as "dueAt", order_id as "order", n, queue, merchant, account from ${schema}outbox
              where state = 'pending' and (due_at, order_id, n) > (${after}) and ${index(bind)}
              order by due_at, order_id, n limit ${bindNumber(bind, limit)}) p`
        })
        return `
          select d.*, (select order_ref from ${schema}orders where id = d."order") as ref
          from (${parts.join(' union all ')}) d order by "dueAt", "order", n limit ${bindNumber(bind, limit)}`
      }, name),
    )

  return {
    due: (after, until, limit) => {
      const indexes = QUEUES.map(
        (queue) => (bind: Bind) => `queue = '${queue}' and due_at <= ${bindNumber(bind, until)}`,
      )
      return readAfter('jobs-due', indexes, after, limit)
    },
    dueOf: (queue, merchant, after, limit) => {
      const index = (bind: Bind) =>
        `queue <> 'work' and queue = cast(${bind(queue)} as text) and merchant = cast(${bind(merchant)} as text)`
      return readAfter('jobs-due-of', [index], after, limit)
    },
    goodEndpoints: () =>
      orThrow(() =>
        query(
          () => `select merchant, kind from ${schema}endpoints where is_good`,
          'endpoints-good',
        ),
      ),
    nextDueAt: (after) =>
      orThrow(async () => {
        const times = Object.values(await readDueTimes(dialect, after, []))
        const instants = times.filter((at) => at !== null)
        return instants.length === 0 ? null : Math.min(...instants)
      }),
  }
}

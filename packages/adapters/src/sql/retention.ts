// Deletes old deliveries in both SQL stores, in small batches. It visits rows in the order in which
// they were written, which is also the order in which they grow old. So a pass that finds nothing
// reads almost nothing.
import type { Retention } from '@plazo/core/internal'
import type { Dialect } from './dialect.ts'
import type { Bind } from './order-conditions.ts'

export const createRetention = (dialect: Dialect): Retention => {
  const { schema, jsonElements } = dialect

  return {
    dropDeliveries: ({ before, after, rows }) =>
      dialect.orUnavailable(async () => {
        // On PostgreSQL, in the order of the index outbox_ended.
        const deliveries = await dialect.query<{
          readonly order_id: number
          readonly id: number
          readonly n: number
          readonly made_at: number
        }>(
          (bind) => `
            select order_id, id, n, made_at from ${schema}outbox
            where id > ${bind(after)} and queue <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported')
            order by id limit ${bind(rows)}`,
        )
        const candidates = deliveries.filter(({ made_at }) => made_at < before)
        const json = JSON.stringify(candidates)
        const next = candidates.length < rows ? null : (candidates.at(-1)?.id ?? null)
        if (candidates.length === 0) return { count: 0, next }
        // Each is looked up: with `exists`, PostgreSQL would make one list for all.
        const selectOld = (bind: Bind): string => `
          select b.order_id, b.n from ${jsonElements}(${bind(json)})
          join ${schema}outbox b on b.order_id = cast(value ->> 'order_id' as bigint) and b.n = cast(value ->> 'n' as integer)
          where (select 1 from ${schema}outbox s where s.order_id = b.order_id and s.resend_of = b.n limit 1) is null
            and (select 1 from ${schema}attempts a where a.order_id = b.order_id and a.job = b.n
              and a.started_at >= ${bind(before)} limit 1) is null`
        const dropped = await dialect.write([
          // A resend that was decided before is decided again.
          (bind) => `
            update ${schema}orders set version = version + 1
            where id in (
              select id from ${schema}orders
              where id in (select cast(value ->> 'order_id' as bigint) from ${jsonElements}(${bind(json)}))
              order by id ${dialect.forUpdate})
            returning 1`,
          (bind) =>
            `delete from ${schema}attempts where (order_id, job) in (${selectOld(bind)}) returning 1`,
          (bind) =>
            `delete from ${schema}outbox where (order_id, n) in (${selectOld(bind)}) returning 1`,
        ])
        return { count: dropped.length, next }
      }),

    dropCodeCounts: (before) =>
      dialect.orUnavailable(async () => {
        await dialect.write([
          (bind) => `delete from ${schema}code_counts where last_at < ${bind(before)} returning 1`,
        ])
      }),
  }
}

// Deletes old deliveries in both SQL stores, in small batches. It visits rows in the order in which
// they were written, which is also the order in which they grow old. So a pass that finds nothing
// reads almost nothing.
import type { Retention } from '@plazo/core/ports'
import type { Dialect, JobKey } from './dialect.ts'
import type { Bind } from './order-conditions.ts'

export const createRetention = (dialect: Dialect): Retention => {
  const { schema, jobKey, jsonElements } = dialect

  return {
    dropDeliveries: ({ before, after, rows }) =>
      dialect.orUnavailable(async () => {
        // On PostgreSQL, in the order of the index outbox_ended.
        const deliveries = await dialect.query<JobKey & { readonly made_at: number }>(
          (bind) => `
            select order_id, id, made_at from ${schema}outbox
            where id > ${bind(after)} and queue <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported')
            order by id limit ${bind(rows)}`,
        )
        const candidates = deliveries.filter(({ made_at }) => made_at < before)
        const json = JSON.stringify(candidates)
        const next = candidates.length < rows ? null : (candidates.at(-1)?.id ?? null)
        if (candidates.length === 0) return { count: 0, next }
        // Each is looked up: with `exists`, PostgreSQL would make one list for all.
        const selectOld = (bind: Bind): string => `
          select ${jobKey('b.id')} from ${jsonElements}(${bind(json)})
          join ${schema}outbox b on b.order_id = cast(value ->> 'order_id' as bigint) and b.id = cast(value ->> 'id' as bigint)
          where (select 1 from ${schema}outbox s where s.order_id = b.order_id and s.resend_of = b.id limit 1) is null
            and (select 1 from ${schema}attempts a where (${jobKey('a.delivery_id')}) = (${jobKey('b.id')})
              and a.started_at >= ${bind(before)} limit 1) is null`
        const dropped = await dialect.write([
          // From here on, nobody requests a resend of these.
          (bind) => `
            select id from ${schema}orders
            where id in (select cast(value ->> 'order_id' as bigint) from ${jsonElements}(${bind(json)}))
            order by id ${dialect.forUpdate}`,
          (bind) =>
            `delete from ${schema}attempts where (${jobKey('delivery_id')}) in (${selectOld(bind)}) returning 1`,
          (bind) =>
            `delete from ${schema}outbox where (${jobKey('id')}) in (${selectOld(bind)}) returning 1`,
        ])
        return { count: dropped.length, next }
      }),
  }
}

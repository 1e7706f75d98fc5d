// The part of a statement that adds effects. An effect is pending, or queued behind others in its lane.
import { bytes } from './values.ts'

/** An effect's row. `work`: bytes as base64. An undefined field is null. */
export type EffectRow = {
  readonly order_ref: string
  readonly n: number
  readonly revision: number
  readonly lane: string
  readonly queue: string
  readonly merchant: string
  readonly account: string | undefined
  readonly event: string | undefined
  readonly work: string
  readonly due_at: number
  readonly expires_at: number | undefined
  readonly excludes: string | undefined
  readonly made_at: number
  /** The step that creates it also revokes it. */
  readonly is_revoked?: true
}

/** When the first of these effects is due. Infinite: none is. */
export const firstDueAt = (effects: readonly EffectRow[]): number =>
  Math.min(...effects.flatMap(({ is_revoked, due_at }) => (is_revoked ? [] : due_at)))

/** The SQL that adds the effects in `rows`. `isQueued`: the condition under which something goes before `n` in its lane. */
export const insertEffectsSql = (rows: string, orderCondition: string, isQueued: string): string => `
  insert into plazo.outbox (
    order_ref, revision, lane, queue, merchant, account, event, work, state, due_at, expires_at, excludes, made_at, attempts)
  select n.order_ref, n.revision, n.lane, n.queue, n.merchant, n.account, n.event, ${bytes('n.work')},
    case
      when n.is_revoked then 'stopped'
      when ${isQueued}
        or row_number() over (partition by n.order_ref, n.lane, n.is_revoked order by n.n) > 1 then 'queued'
      else 'pending' end,
    n.due_at, n.expires_at, n.excludes, n.made_at, 0
  from json_to_recordset(${rows}) as n(
    order_ref uuid, n integer, revision integer, lane text, queue text, merchant text, account text, event text, work text,
    due_at bigint, expires_at bigint, excludes text, made_at bigint, is_revoked boolean)
  where ${orderCondition}
  order by n.n`

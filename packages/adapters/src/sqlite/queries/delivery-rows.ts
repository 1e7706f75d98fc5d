// The queries for deliveries in SQLite's outbox. Their conditions must match the indexes, or SQLite
// cannot use these.
import type { DeliveryRow as ShownRow } from '../../sql/delivery-view.ts'

export type DeliveryRow = ShownRow & { readonly order_id: number; readonly is_erased: number }

// Exactly the condition of the indexes outbox_of_order and outbox_of_merchant.
export const IS_DELIVERY = `queue <> 'work' and resend_of is null`

// All deliveries that are not delivered. Each part uses its own index: outbox_due, outbox_claimed,
// outbox_unaccepted.
export const UNDELIVERED = `b.id in (
  select id from outbox where state = 'pending' and queue in ('event', 'ipn') and merchant = @merchantRef
  union all
  select id from outbox where state = 'claimed' and queue in ('event', 'ipn') and merchant = @merchantRef
  union all
  select id from outbox
  where queue <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck') and merchant = @merchantRef)`

export const COLUMNS = `
  select b.id, b.order_id, o.order_ref, b.merchant, b.revision, b.lane, b.event, b.state, b.due_at, b.work is null as is_erased
  from outbox b join orders o on o.id = b.order_id`

export const ONE_DELIVERY = `
  ${COLUMNS} where b.${IS_DELIVERY} and b.order_id = (select id from orders where order_ref = ?) and +b.merchant = ?
    and b.revision = ? and b.lane = ?`

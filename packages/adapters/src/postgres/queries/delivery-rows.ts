// The queries that find deliveries in PostgreSQL's outbox: each kind by its own index, and one by
// its id.
import type { DeliveryNotFound } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { deliveryNotFound, type DeliveryRow as ShownRow } from '../../sql/delivery-view.ts'
import { type Query, type Statement, statement } from '../connection/connection.ts'
import { parseEffectKey } from '../sql/values.ts'

export type DeliveryRow = ShownRow & { readonly order_id: number; readonly is_erased: boolean }

export const IS_DELIVERY = `b.queue <> 'work' and b.resend_of is null`

// Each kind is found by its index: outbox_due, outbox_claimed and outbox_unaccepted, or
// outbox_ended_of_merchant.
const DUE_OR_CLAIMED = `
  select * from plazo.outbox where state = 'pending' and queue in ('event', 'ipn') and merchant = $1
  union all
  select * from plazo.outbox where state = 'claimed' and queue in ('event', 'ipn') and merchant = $1`

export const UNDELIVERED = `(${DUE_OR_CLAIMED}
  union all
  select * from plazo.outbox
  where queue <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck') and merchant = $1) b`

const COLUMNS = `
  (select order_ref from plazo.orders o where o.id = b.order_id) as order_ref,
  b.order_id, b.id, b.merchant, b.revision, b.lane, b.event, b.state, b.due_at, b.work is null as is_erased`

const NEWEST_FIRST = 'order by b.id desc limit $4'

// Repeats the condition of the index outbox_ended_of_merchant word for word.
const endedDeliveries = (where: string): string => `(
  select * from plazo.outbox b
  where queue <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported', 'stuck') and merchant = $1
    and ${where} and b.id < $2 ${NEWEST_FIRST}) b`

const ANY = `(${DUE_OR_CLAIMED}
  union all
  select * from plazo.outbox where queue <> 'work' and state = 'queued' and merchant = $1
  union all
  select * from ${endedDeliveries('true')}) b`

const listStatement = (name: string, from: string, where: string): Statement => statement(name)`
  select ${COLUMNS} from ${from}
  where ${IS_DELIVERY} and ${where} and b.id < $2 and b.state = any ($3::text[]) ${NEWEST_FIRST}`

export const OF_MERCHANT = listStatement('deliveries-of-merchant', ANY, 'true')
export const DELIVERED = listStatement(
  'deliveries-delivered',
  endedDeliveries(`state || '' = 'delivered'`),
  'true',
)
export const NOT_DELIVERED = listStatement('deliveries-not-delivered', UNDELIVERED, 'true')
export const OF_ORDER = listStatement(
  'deliveries-of-order',
  'plazo.outbox b',
  'b.merchant = $1 and b.order_id = (select id from plazo.orders where order_ref = $5)',
)

// Does not imply the condition of outbox_ended, which also has all that were delivered.
export const EXHAUSTED = statement('deliveries-exhausted')`
  select ${COLUMNS} from plazo.outbox b
  where b.state = 'exhausted' and b.queue || '' <> 'work' and b.resend_of is null order by b.id desc limit $1`

const ONE = statement('deliveries-one')`
  select ${COLUMNS} from plazo.outbox b
  where ${IS_DELIVERY} and b.order_id = (select id from plazo.orders where order_ref = $1) and b.merchant = $2 and b.revision = $3 and b.lane = $4`

/** The two arrays by which a statement finds many rows. */
export const columnsOf = (rows: readonly Pick<DeliveryRow, 'order_id' | 'id'>[]) =>
  [rows.map(({ order_id }) => order_id), rows.map(({ id }) => id)] as const

/** Finds a delivery by its id, which the merchant knows as `Webhook-Id`. */
export const createDeliveryFinder =
  (query: Query) =>
  async (merchantRef: string, key: string): Promise<E.Either<DeliveryNotFound, DeliveryRow>> => {
    const parts = parseEffectKey(key)
    if (parts === null) return E.left(deliveryNotFound)
    const [row] = await query<DeliveryRow>(
      ONE,
      parts.orderRef,
      merchantRef,
      parts.revision,
      parts.lane,
    )
    return row === undefined ? E.left(deliveryNotFound) : E.right(row)
  }

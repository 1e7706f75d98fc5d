// Builds an operator's sheet of an order: its state, terms, journal and deliveries. It never contains the shopper's data.
// Contract §3.
import {
  agreementOf,
  type Delivery,
  type DeliveryView,
  deliveryView,
  type HistoryLine,
  historyLine,
  type JournalLine,
  metaOf,
  money,
  nameOnWire,
  type Order,
  orderView,
  REGIONS,
} from '@plazo/core'
import { onOneLine, type Row } from './terminal.ts'

/** The terms of the order. Everything except the agreement is fixed when the order is placed. */
const termsOf = (order: Order) => {
  const { merchant, notifyUrl, returnUrl, eventsWebhook, currency, total } = order.placed
  const { product, instalmentCount } = agreementOf(order)
  return {
    product,
    instalment_count: instalmentCount,
    total,
    currency,
    merchant: {
      ref: merchant.ref,
      country: merchant.country,
      products: merchant.products,
      optional_fields: merchant.optionalFields,
      send_action_events_in_identification: merchant.sendsActionEvents,
    },
    return_url: returnUrl,
    notify_url: notifyUrl,
    events_webhook: eventsWebhook === null ? null : { url: eventsWebhook.url },
  }
}

export const orderDetails = (order: Order, journal: readonly JournalLine[], deliveries: readonly Delivery[]) => ({
  order: orderView(order),
  captions: {
    checkout: metaOf('checkout', order.state).caption,
    risk: metaOf('risk', order.state).caption,
    cancellation: metaOf('cancellation', order.state).caption,
  },
  terms: termsOf(order),
  history: journal.map(historyLine),
  deliveries: deliveries.map(deliveryView),
})

type OrderDetails = ReturnType<typeof orderDetails>

/** The last attempt of a delivery, in one line. */
export const lastAttempt = ({ attempts }: DeliveryView): string => {
  const last = attempts.at(-1)
  if (last === undefined) return 'not tried yet'
  const { n, trigger, started_at, outcome, status, error } = last
  const parts = [`attempt ${n}`, trigger, started_at, outcome ?? 'in flight', status, error]
  return parts.filter((part) => part !== null).join(' ')
}

const WIDTH = 16

const row = (name: string, value: string): string => `  ${name.padEnd(WIDTH)}${onOneLine(value)}`

const stateChanges = ({ from, to }: HistoryLine): readonly string[] =>
  REGIONS.filter((region) => from[region] !== to[region]).map((region) => `${region} ${from[region]} → ${to[region]}`)

const line = (it: HistoryLine): string => {
  const parts = [it.detail, ...stateChanges(it)].filter((part) => part !== null)
  return onOneLine(`  ${it.at}  ${it.event.padEnd(24)}${parts.length === 0 ? '' : `  ${parts.join('; ')}`}`.trimEnd())
}

/** In one language, so that a list of orders reads the same in every line. */
const readableAmount = (total: number, currency: string): string => money(total, currency, 'en').string

/** A text for people; `--json` prints everything. */
export const orderDetailsText = ({ order, captions, terms, history, deliveries }: OrderDetails): string =>
  [
    `Order ${order.order_ref}`,
    ...REGIONS.map((region) => row(region, `${order.state[region]}: ${captions[region]}`)),
    ...(order.late_by === null ? [] : [row('late by', `${order.late_by} min`)]),
    row('order_ref_1', order.order_ref_1 || 'none'),
    row('order_ref_2', order.order_ref_2 || 'none'),
    row('placed', order.created_at),
    row('last change', order.updated_at),
    '',
    'Terms',
    row('merchant', `${terms.merchant.ref}, country ${terms.merchant.country ?? 'none'}`),
    row('amount', readableAmount(terms.total, terms.currency)),
    row(
      'product',
      `${terms.product}, ${terms.instalment_count} ${terms.instalment_count === 1 ? 'instalment' : 'instalments'}, of ${terms.merchant.products.join(', ')}`,
    ),
    row('optional fields', terms.merchant.optional_fields.join(', ') || 'none'),
    row('action events', terms.merchant.send_action_events_in_identification ? 'pushed' : 'not pushed'),
    row('return_url', terms.return_url),
    row('notify_url', terms.notify_url ?? 'none'),
    row('events_webhook', terms.events_webhook?.url ?? 'none'),
    '',
    'Journal',
    ...history.map(line),
    '',
    'Deliveries',
    ...(deliveries.length === 0 ? ['  none'] : []),
    ...deliveries.map((each) => `  ${each.id}  ${each.event}  ${each.state}  ${lastAttempt(each)}`),
  ].join('\n')

export const ORDER_HEADS = ['placed', 'order_ref', 'merchant', 'order_ref_1', 'state', 'product', 'amount']

/** One row of a list of orders. */
export const orderRow = (order: Order): Row => {
  const { order_ref, order_ref_1, merchant, product, created_at } = orderView(order)
  const { total, currency } = order.placed
  const state = REGIONS.map((region) => nameOnWire(region, order.state)).join(' ')
  return [created_at, order_ref, merchant, order_ref_1, state, product, readableAmount(total, currency)]
}

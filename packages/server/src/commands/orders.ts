// `plazo orders`: lists orders, and shows everything that operators may know about one, next to a running server.
import {
  eraseShopperData,
  findOrders,
  INSTANT_FORMAT,
  instantOf,
  listOrders,
  type Order,
  orderView,
  STATES_ON_WIRE,
} from '@plazo/core'
import { forksOf } from '../sandbox/fork-links.ts'
import { type Json, PlazoCommand, requireMerchant, type Storage, withStorage } from './command.ts'
import { ORDER_HEADS, orderDetails, orderDetailsText, orderRow } from './order-details.ts'
import { hint, refuse, refuseValue, say, sayList, valueOrRefuse, wholeNumber } from './terminal.ts'

const requireOne = (orders: readonly Order[], reference: string): Order => {
  const [first, ...others] = orders
  if (first === undefined)
    return refuse(
      `Order ${JSON.stringify(reference)} not found. Give its order_ref, or the order_ref_1 of an order that is being ` +
        'confirmed, is confirmed, or is among the last 10,000 placed. `plazo orders list` lists them.',
    )
  return others.length === 0
    ? first
    : refuse(
        `${orders.length} orders have the reference ${JSON.stringify(reference)}. Give the order_ref of one.`,
        ...orders.map(({ placed }) => `  ${placed.orderRef}  merchant ${placed.merchant.ref}`),
      )
}

/**
 * Finds an order by its `order_ref` or `order_ref_1`, because an operator may know either. Refuses if none or several match.
 */
export const findOneOrder = async (storage: Pick<Storage, 'store' | 'merchants'>, reference: string): Promise<Order> =>
  requireOne(await valueOrRefuse(findOrders(storage)(reference)), reference)

/** `plazo orders erase` destroys a shopper's personal data and keeps the order. It works while a server runs. */
const erase = withStorage(async (storage, reference: string, { json }: Json) => {
  const { orderRef } = (await findOneOrder(storage, reference)).placed
  const { erasure, serviceClock: clock } = storage
  const outcome = await valueOrRefuse(eraseShopperData({ erasure, clock })(orderRef), {
    Refused: ({ sentences }) => [...sentences, 'A shopper can be erased once the order has no more jobs.'],
    OrderNotFound: () => 'The order no longer exists.',
  })
  for (const forkRef of await valueOrRefuse(forksOf(storage.sandboxStore, orderRef)))
    hint(`Order ${forkRef} is a fork of it and still contains the data. Erase it too: plazo orders erase ${forkRef}`)
  if (json) return say(JSON.stringify({ order_ref: orderRef, forgotten: true, before: outcome === 'already_erased' }))
  say(
    outcome === 'already_erased'
      ? `The shopper of order ${orderRef} was already erased. Data that arrived since then is now erased too.`
      : `The shopper of order ${orderRef} is erased. Earlier backups still contain their data.`,
  )
})

type ListOptions = Json & {
  readonly merchant?: string
  readonly state?: string
  readonly since?: string
  readonly limit: string
}

const list = withStorage(async (storage, { merchant, state, since, limit, json }: ListOptions) => {
  if (state !== undefined && !STATES_ON_WIRE.includes(state))
    refuseValue('--state', state, `one of ${STATES_ON_WIRE.join(', ')}`)
  const orders = await valueOrRefuse(
    listOrders(storage.store)({
      merchantRef: merchant === undefined ? null : await requireMerchant(storage, merchant),
      state: state ?? null,
      since: since === undefined ? null : (instantOf(since) ?? refuseValue('--since', since, INSTANT_FORMAT)),
      limit: wholeNumber('--limit', limit, 10_000),
    }),
  )
  if (json) return say(JSON.stringify(orders.map(orderView)))
  sayList(ORDER_HEADS, orders.map(orderRow), 'No orders found.')
})

// More than one order ever has.
const ALL_DELIVERIES = 10_000

const show = withStorage(async ({ store, merchants }, reference: string, { json }: Json) => {
  const order = await findOneOrder({ store, merchants }, reference)
  const { orderRef, merchant } = order.placed
  const orderMissing = () => 'The order no longer exists.'
  const journal = await valueOrRefuse(store.journal(orderRef), { OrderNotFound: orderMissing })
  const filter = { merchantRef: merchant.ref, orderRef, state: null, before: null, limit: ALL_DELIVERIES }
  // Reads all at once: a page would end early if its answers are long.
  const deliveries = await valueOrRefuse(store.deliveries.list(filter), { DeliveryNotFound: orderMissing })
  const details = orderDetails(order, journal, deliveries)
  say(json ? JSON.stringify(details) : orderDetailsText(details))
})

export const ordersCommand = (): PlazoCommand => {
  const orders = new PlazoCommand('orders').description('the orders of this database, without the shoppers’ data')
  orders
    .command('list')
    .description('lists the newest orders')
    .option('--merchant <ref>', 'only of this merchant')
    .option('--state <state>', 'a state of the checkout, the risk or the cancellation')
    .option('--since <instant>', 'only those placed at this instant or later')
    .option('--limit <count>', 'at most this many', '100')
    .json()
    .notes(`States: ${STATES_ON_WIRE.join(', ')}`)
    .examples(
      'plazo orders list --merchant demo --state reviewing',
      'plazo orders list --since 2026-01-31 --limit 1000 --json',
    )
    .action(list)
  orders
    .command('show')
    .description('shows an order: state, terms, journal with who decided, deliveries')
    .argument('<reference>', 'its order_ref or order_ref_1')
    .json()
    .examples('plazo orders show 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10', 'plazo orders show A-1042')
    .action(show)
  orders
    .command('erase')
    .description('erases the shopper’s data of an order for good; the order, its state, history and deliveries stay')
    .argument('<reference>', 'its order_ref or order_ref_1')
    .json(': {order_ref, forgotten, before (it was already done)}')
    .notes(`Destroys the order's encryption key, and with it everything personal: the shopper's data, the merchant's payload, all messages
and answers, and the saved cards. It is refused while the checkout is in progress or the order still has jobs.
Only an earlier backup can restore the data. It names the order's forks, which keep the data until they are erased too.`)
    .examples('plazo orders erase 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10', 'plazo orders erase A-1042 --json')
    .action(erase)
  return orders
}

// `plazo orders`: lists orders, and shows everything that operators may know about one, next to a running server.
import { INSTANT_FORMAT, instantOf, listOrders, orderView, STATES_ON_WIRE } from '@plazo/core'
import { Command } from 'commander'
import { eraseCommand } from './erase.ts'
import { requireMerchant, type WithStorage } from './home.ts'
import { sayList } from './listing.ts'
import { findOneOrder } from './one-order.ts'
import { ORDER_HEADS, orderDetails, orderDetailsText, orderRow } from './order-sheet.ts'
import { refuseValue, say, valueOrRefuse, wholeNumber } from './terminal.ts'

type ListOptions = {
  readonly merchant?: string
  readonly state?: string
  readonly since?: string
  readonly limit: string
  readonly json?: boolean
}

const list =
  (withStorage: WithStorage) =>
  ({ merchant, state, since, limit, json }: ListOptions): Promise<void> =>
    withStorage(async (home) => {
      if (state !== undefined && !STATES_ON_WIRE.includes(state))
        refuseValue('--state', state, `one of ${STATES_ON_WIRE.join(', ')}`)
      const orders = await valueOrRefuse(
        listOrders(home.store)({
          merchantRef: merchant === undefined ? null : await requireMerchant(home, merchant),
          state: state ?? null,
          since: since === undefined ? null : (instantOf(since) ?? refuseValue('--since', since, INSTANT_FORMAT)),
          limit: wholeNumber('--limit', limit, 10_000),
        }),
      )
      if (json) return say(JSON.stringify(orders.map(orderView)))
      sayList(ORDER_HEADS, orders.map(orderRow), 'There are no such orders.')
    })

// More than one order ever has.
const ALL_DELIVERIES = 10_000

const show =
  (withStorage: WithStorage) =>
  (reference: string, { json }: { readonly json?: boolean }): Promise<void> =>
    withStorage(async ({ store, merchants }) => {
      const order = await findOneOrder({ store, merchants }, reference)
      const { orderRef, merchant } = order.placed
      const vanished = () => 'It has just gone.'
      const journal = await valueOrRefuse(store.journal(orderRef), { OrderNotFound: vanished })
      const filter = { merchantRef: merchant.ref, orderRef, state: null, before: null, limit: ALL_DELIVERIES }
      // Reads all at once: a page would end early if its answers are long.
      const deliveries = await valueOrRefuse(store.deliveries.list(filter), { DeliveryNotFound: vanished })
      const details = orderDetails(order, journal, deliveries)
      say(json ? JSON.stringify(details) : orderDetailsText(details))
    })

export const ordersCommand = (withStorage: WithStorage): Command => {
  const orders = new Command('orders').description('the orders of this database; never the shopper’s data')
  orders
    .command('list')
    .description('lists the newest')
    .option('--merchant <ref>', 'of this merchant alone')
    .option('--state <state>', 'of any region: checkout, risk or cancellation')
    .option('--since <instant>', 'placed then or later')
    .option('--limit <count>', 'how many', '100')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      `
States: ${STATES_ON_WIRE.join(', ')}

Examples:
  plazo orders list --merchant demo --state reviewing
  plazo orders list --since 2026-01-31 --limit 1000 --json`,
    )
    .action(list(withStorage))
  orders
    .command('show')
    .description('shows one: state, terms, journal with who decided, deliveries')
    .argument('<reference>', 'its order_ref, or its order_ref_1 at its merchant')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  plazo orders show 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10\n  plazo orders show A-1042',
    )
    .action(show(withStorage))
  orders.addCommand(eraseCommand(withStorage))
  return orders
}

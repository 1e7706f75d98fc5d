// `plazo orders`: lists orders, and shows everything that operators may know about one, next to a running server.
import { INSTANT_WANTED, instantOf, listOrders, orderView, STATES_ON_WIRE } from '@plazo/core'
import { Command } from 'commander'
import { eraseCommand } from './erase.ts'
import { known, type WithHome } from './home.ts'
import { sayList } from './listing.ts'
import { oneOrder } from './one-order.ts'
import { ORDER_HEADS, orderRow, orderSheet, sheetText } from './order-sheet.ts'
import { orRefuse, say, wholeNumber, wrong } from './terminal.ts'

type ListOptions = {
  readonly merchant?: string
  readonly state?: string
  readonly since?: string
  readonly limit: string
  readonly json?: boolean
}

const list =
  (withHome: WithHome) =>
  ({ merchant, state, since, limit, json }: ListOptions): Promise<void> =>
    withHome(async (home) => {
      if (state !== undefined && !STATES_ON_WIRE.includes(state))
        wrong('--state', state, `one of ${STATES_ON_WIRE.join(', ')}`)
      const orders = await orRefuse(
        listOrders(home.store)({
          merchantRef: merchant === undefined ? null : await known(home, merchant),
          state: state ?? null,
          since: since === undefined ? null : (instantOf(since) ?? wrong('--since', since, INSTANT_WANTED)),
          limit: wholeNumber('--limit', limit, 10_000),
        }),
      )
      if (json) return say(JSON.stringify(orders.map(orderView)))
      sayList(ORDER_HEADS, orders.map(orderRow), 'There are no such orders.')
    })

// More than one order ever has.
const ALL_DELIVERIES = 10_000

const show =
  (withHome: WithHome) =>
  (reference: string, { json }: { readonly json?: boolean }): Promise<void> =>
    withHome(async ({ store, merchants }) => {
      const order = await oneOrder({ store, merchants }, reference)
      const { orderRef, merchant } = order.placed
      const gone = () => 'It has just gone.'
      const journal = await orRefuse(store.journal(orderRef), { OrderNotFound: gone })
      const wanted = { merchantRef: merchant.ref, orderRef, state: null, before: null, limit: ALL_DELIVERIES }
      // Reads all at once: a page would end early if its answers are long.
      const deliveries = await orRefuse(store.deliveries.list(wanted), { DeliveryNotFound: gone })
      const sheet = orderSheet(order, journal, deliveries)
      say(json ? JSON.stringify(sheet) : sheetText(sheet))
    })

export const ordersCommand = (withHome: WithHome): Command => {
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
    .action(list(withHome))
  orders
    .command('show')
    .description('shows one: state, terms, journal with who decided, deliveries')
    .argument('<reference>', 'its order_ref, or its order_ref_1 at its merchant')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  plazo orders show 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10\n  plazo orders show A-1042',
    )
    .action(show(withHome))
  orders.addCommand(eraseCommand(withHome))
  return orders
}

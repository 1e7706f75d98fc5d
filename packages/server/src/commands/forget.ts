// `plazo orders forget`: erases the shopper of an order and keeps the order, next to a running server.
import { forgetShopper } from '@plazo/core'
import { Command } from 'commander'
import { clockOf, type WithHome } from './home.ts'
import { oneOrder } from './one-order.ts'
import { orRefuse, say } from './terminal.ts'

const forget =
  (withHome: WithHome) =>
  (reference: string, { json }: { readonly json?: boolean }): Promise<void> =>
    withHome(async (home) => {
      const { orderRef } = (await oneOrder(home, reference)).placed
      const { forgetting } = home
      const done = await orRefuse(forgetShopper({ forgetting, clock: await clockOf(home) })(orderRef), {
        Refused: ({ sentences }) => [
          ...sentences,
          'A shopper is forgotten once nothing more is to be done for the order.',
        ],
        OrderUnknown: () => 'The order has just gone.',
      })
      if (json) return say(JSON.stringify({ order_ref: orderRef, forgotten: true, before: done === 'again' }))
      say(
        done === 'again'
          ? `The shopper of order ${orderRef} had been forgotten before; nothing that has come since is left.`
          : `The shopper of order ${orderRef} is forgotten. Backups from before still know him, for as long as they are kept.`,
      )
    })

export const forgetCommand = (withHome: WithHome): Command =>
  new Command('forget')
    .description('forgets an order’s shopper for good; the order, its state, history and deliveries stay')
    .argument('<reference>', 'its order_ref, or its order_ref_1 at its merchant')
    .option('--json', 'prints JSON: {order_ref, forgotten, before (it had been done)}')
    .addHelpText(
      'after',
      `
Destroys the key that everything personal of the order is sealed under, what the merchant sent with it, what was sent and
answered, and the cards that were saved with it. It is refused while the checkout goes on, or anything is still to be done.
Nothing brings him back but a backup from before.

Examples:
  plazo orders forget 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10
  plazo orders forget A-1042 --json`,
    )
    .action(forget(withHome))

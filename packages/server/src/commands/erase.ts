// `plazo orders erase` destroys a shopper's personal data and keeps the order. It works while a server runs.
import { eraseShopperData } from '@plazo/core'
import { Command } from 'commander'
import { clockOf, type WithStorage } from './home.ts'
import { findOneOrder } from './one-order.ts'
import { say, valueOrRefuse } from './terminal.ts'

const erase =
  (withStorage: WithStorage) =>
  (reference: string, { json }: { readonly json?: boolean }): Promise<void> =>
    withStorage(async (storage) => {
      const { orderRef } = (await findOneOrder(storage, reference)).placed
      const { erasure } = storage
      const outcome = await valueOrRefuse(eraseShopperData({ erasure, clock: await clockOf(storage) })(orderRef), {
        Refused: ({ sentences }) => [
          ...sentences,
          'A shopper can be erased once nothing more is to be done for the order.',
        ],
        OrderNotFound: () => 'The order no longer exists.',
      })
      if (json)
        return say(JSON.stringify({ order_ref: orderRef, forgotten: true, before: outcome === 'already_erased' }))
      say(
        outcome === 'already_erased'
          ? `The shopper of order ${orderRef} was already erased. What came since then is erased too.`
          : `The shopper of order ${orderRef} is erased. Backups from before still contain their data for as long as you keep them.`,
      )
    })

export const eraseCommand = (withStorage: WithStorage): Command =>
  new Command('erase')
    .description('erases an order’s shopper for good; the order, its state, history and deliveries stay')
    .argument('<reference>', 'its order_ref, or its order_ref_1 at its merchant')
    .option('--json', 'prints JSON: {order_ref, forgotten, before (it was already done)}')
    .addHelpText(
      'after',
      `
Destroys the order's encryption key, and with it everything personal: the shopper's data, what the merchant sent, all messages
and answers, and the saved cards. It is refused while the checkout is in progress or anything is still to be done.
Only a backup from before can restore the data.

Examples:
  plazo orders erase 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10
  plazo orders erase A-1042 --json`,
    )
    .action(erase(withStorage))

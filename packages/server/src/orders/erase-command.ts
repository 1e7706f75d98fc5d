// `plazo orders erase`: destroys a shopper's personal data and keeps the order. An operator reads
// first what goes, because only a backup can restore it.

import { eraseShopperData, previewErasure } from '@plazo/core'
import { type Json, PlazoCommand, withStorage } from '../command-line/command.ts'
import { findOneOrder } from '../command-line/find-order.ts'
import { refuse, requireYes, say, valueOrRefuse, type Yes } from '../command-line/terminal.ts'
import { ERASURE_KEEPS, ERASURE_REFUSED, erasedView, erasedWords, erasureView } from './erasure.ts'

type Options = Json & Yes & { readonly dryRun?: boolean }

const orderMissing = () => 'The order no longer exists.'

const erase = withStorage(async (storage, reference: string, { dryRun, yes, json }: Options) => {
  const { store, erasure, serviceClock: clock } = storage
  const { orderRef } = (await findOneOrder(storage, reference)).placed
  const preview = await valueOrRefuse(previewErasure({ store })(orderRef), {
    OrderNotFound: orderMissing,
    DeliveryNotFound: orderMissing,
  })
  const words = erasedWords(preview)
  const { unfinished } = preview
  const consequences = [
    `Order ${orderRef}, of merchant ${preview.order.placed.merchant.ref}`,
    words.length === 0 ? 'Nothing of the shopper is left.' : 'This goes for good:',
    ...words.map((each) => `  - ${each}`),
    'This stays:',
    ...ERASURE_KEEPS.map((each) => `  - ${each}`),
  ]
  const blockers =
    unfinished.length === 0
      ? []
      : ['It cannot be erased yet:', ...unfinished.map((each) => `  - ${each}`)]
  if (dryRun)
    return say(
      json ? JSON.stringify(erasureView(preview)) : [...consequences, ...blockers].join('\n'),
    )
  if (words.length > 0 && blockers.length > 0) refuse(...blockers, ERASURE_REFUSED)
  await requireYes(consequences.join('\n'), yes)
  const outcome = await valueOrRefuse(eraseShopperData({ erasure, clock })(orderRef), {
    Refused: ({ sentences }) => [...sentences, ERASURE_REFUSED],
    OrderNotFound: orderMissing,
  })
  if (json) return say(JSON.stringify(erasedView(orderRef, outcome)))
  say(
    outcome === 'already_erased'
      ? `The shopper of order ${orderRef} was already erased. Data that arrived since then is now erased too.`
      : `The shopper of order ${orderRef} is erased. Earlier backups still contain their data.`,
  )
})

export const eraseCommand = (): PlazoCommand =>
  new PlazoCommand('erase')
    .description(
      'erases the shopper’s data of an order for good; the order, its state, history and deliveries stay',
    )
    .orderArgument()
    .option('--dry-run', 'only says what would go, and what is unfinished')
    .asksFirst()
    .json(
      ': {order_ref, forgotten, before (it was already done)}; with --dry-run {order_ref, goes, unfinished, before}',
    )
    .notes(`Destroys the order's encryption key, and with it everything personal: the shopper's data, the merchant's payload, all messages
and answers, and the saved cards. It is refused while the checkout is in progress or the order still has jobs.
Only an earlier backup can restore the data.`)
    .examples(
      'plazo orders erase A-1042 --dry-run',
      'plazo orders erase 0b9f1c1e-7a54-4c7e-9d7c-3f6a5b1f2e10 --yes --json',
    )
    .action(erase)

// `plazo orders erase`: destroys a shopper's personal data and keeps the order. An operator reads
// first what goes, because only a backup can restore it.

import { eraseShopperData, previewErasure } from '@plazo/core'
import { ERASURE_KEEPS, erasedView, erasedWords, erasureView } from '../api/orders/erasure.ts'
import { type Json, PlazoCommand, withStorage } from './command.ts'
import { findOneOrder } from './find-order.ts'
import { refuse, requireYes, say, valueOrRefuse, type Yes } from './terminal.ts'

type Options = Json & Yes & { readonly dryRun?: boolean }

const orderMissing = () => 'The order no longer exists.'

const listUnder = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  - ${line}`)]

const erase = withStorage(async (storage, reference: string, { dryRun, yes, json }: Options) => {
  const { store, erasure, serviceClock: clock } = storage
  const { orderRef, merchant } = (await findOneOrder(storage, reference)).placed
  const preview = await valueOrRefuse(previewErasure({ store })(orderRef), orderMissing)
  const goes = listUnder('This goes for good:', erasedWords(preview))
  const consequences = [
    `Order ${orderRef}, of merchant ${merchant.ref}`,
    ...(goes.length === 0 ? ['Nothing of the shopper is left.'] : goes),
    ...listUnder('This stays:', ERASURE_KEEPS),
  ]
  const blockers = listUnder('It cannot be erased yet:', preview.unfinished)
  if (dryRun)
    return say(
      json ? JSON.stringify(erasureView(preview)) : [...consequences, ...blockers].join('\n'),
    )
  if (blockers.length > 0) refuse(...blockers)
  await requireYes(consequences.join('\n'), yes)
  const outcome = await valueOrRefuse(eraseShopperData({ erasure, clock })(orderRef), (error) =>
    error._tag === 'Refused' ? error.sentences : orderMissing(),
  )
  say(
    json
      ? JSON.stringify(erasedView(orderRef, outcome))
      : `The shopper of order ${orderRef} is erased. Earlier backups still contain their data.`,
  )
})

export const eraseCommand = (): PlazoCommand =>
  new PlazoCommand('erase')
    .description('erases the shopper’s data of an order for good; the order stays')
    .orderArgument()
    .option('--dry-run', 'only says what would go, and what is unfinished')
    .asksFirst()
    .json(
      ': {order_ref, forgotten, before (it was already done)}; with --dry-run {order_ref, goes, unfinished, before}',
    )
    .notes('It is refused while the checkout is in progress or the order still has jobs.')
    .examples('plazo orders erase A-1042 --dry-run')
    .action(erase)

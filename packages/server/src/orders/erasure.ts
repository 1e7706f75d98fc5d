// An erasure in words, for the command and for the console's page, so that both promise the same.
import type { ErasedParts, ErasurePreview } from '@plazo/core'

export const erasureView = ({ order, goes, unfinished, isRepeated }: ErasurePreview) => ({
  order_ref: order.placed.orderRef,
  goes,
  unfinished,
  before: isRepeated,
})

export const erasedView = (orderRef: string, outcome: 'erased' | 'already_erased') => ({
  order_ref: orderRef,
  forgotten: true,
  before: outcome === 'already_erased',
})

const countNoun = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${many}`

const PART_WORDS: { readonly [part in keyof ErasedParts]: (count: number) => string } = {
  person: () => 'the shopper’s name, birthday, ID number, phone, address, codes and sessions',
  cards: (count) => countNoun(count, 'saved card', 'saved cards'),
  payload: () =>
    'the request with which the merchant placed the order, with its cart and addresses',
  inputs: (count) => countNoun(count, 'input of the history', 'inputs of the history'),
  deliveries: (count) =>
    `what was sent and answered in ${countNoun(count, 'delivery', 'deliveries')}`,
}

/** What goes, in words; empty if nothing is left. */
export const erasedWords = ({ goes }: Pick<ErasurePreview, 'goes'>): readonly string[] =>
  (Object.keys(PART_WORDS) as (keyof ErasedParts)[])
    .filter((part) => goes[part] > 0)
    .map((part) => PART_WORDS[part](goes[part]))

/** What every erasure does, besides. */
export const ERASURE_NOTES = [
  'Messages to the shopper and recordings that belong to the order go too.',
  'The order stays, with its state, amounts, references, history and list of deliveries.',
  'Its deliveries cannot be sent again. Only an earlier backup can restore the data.',
] as const

export const ERASURE_REFUSED = 'A shopper can be erased once the order has no more jobs.'

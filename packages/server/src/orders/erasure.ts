// An erasure in words, for the command and for the console's page, so that both promise the same.
import type { ErasedParts, ErasurePreview } from '@plazo/core'
import * as t from 'io-ts'

const Count = t.number

/** `goes`: how many there are of each part. `unfinished`: what must end before, as sentences. */
export const ErasureView = t.strict({
  order_ref: t.string,
  goes: t.strict({ person: Count, cards: Count, payload: Count, inputs: Count, deliveries: Count }),
  unfinished: t.readonlyArray(t.string),
  before: t.boolean,
})

export const ErasedView = t.strict({
  order_ref: t.string,
  forgotten: t.boolean,
  before: t.boolean,
})

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
  person: () => 'The shopper’s name, birthday, ID number, phone, address, codes and sessions',
  cards: (count) => countNoun(count, 'saved card', 'saved cards'),
  payload: () =>
    'The request with which the merchant placed the order, with its cart and addresses',
  inputs: (count) => countNoun(count, 'input of the history', 'inputs of the history'),
  deliveries: (count) =>
    `What was sent and answered in ${countNoun(count, 'delivery', 'deliveries')}, which cannot be sent again`,
}

const ALWAYS = 'Messages to the shopper, and recordings of the order.'

/** What goes, in words; empty if nothing is left. */
export const erasedWords = ({ goes }: Pick<ErasurePreview, 'goes'>): readonly string[] => {
  const parts = (Object.keys(PART_WORDS) as (keyof ErasedParts)[]).filter((part) => goes[part] > 0)
  return parts.length === 0
    ? []
    : [...parts.map((part) => `${PART_WORDS[part](goes[part])}.`), ALWAYS]
}

/** What every erasure leaves. */
export const ERASURE_KEEPS = [
  'The order, with its state, amounts, references, history and list of deliveries.',
  'Earlier backups. Only they can restore the data.',
] as const

export const ERASURE_REFUSED = 'A shopper can be erased once the order has no more jobs.'

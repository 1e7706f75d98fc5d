// An erasure in words, for the command and for the console's page, so that both promise the same.
import { type ErasurePreview, oneOf } from '@plazo/core/internal'
import * as t from 'io-ts'

/** What an erasure destroys. */
const ERASED_PARTS = {
  person: 'The shopper’s name, birthday, ID number, phone, address, codes, sessions and messages.',
  payload: 'The request with which the merchant placed the order, with its cart and addresses.',
  inputs: 'The inputs of the history.',
  deliveries: 'What was sent and answered in deliveries, which cannot be sent again.',
  cards: 'Saved cards.',
}

/** `unfinished`: what must end before, as sentences. */
export const ErasureView = t.strict({
  order_ref: t.string,
  goes: t.readonlyArray(oneOf(...Object.keys(ERASED_PARTS))),
  unfinished: t.readonlyArray(t.string),
  before: t.boolean,
})

export const ErasedView = t.strict({
  order_ref: t.string,
  forgotten: t.boolean,
  before: t.boolean,
})

export const erasureView = ({ order, unfinished, isRepeated, isErased }: ErasurePreview) => ({
  order_ref: order.placed.orderRef,
  goes: isErased ? [] : Object.keys(ERASED_PARTS),
  unfinished,
  before: isRepeated,
})

export const erasedView = (orderRef: string, outcome: 'erased' | 'already_erased') => ({
  order_ref: orderRef,
  forgotten: true,
  before: outcome === 'already_erased',
})

/** What goes, in words; empty if nothing is left. */
export const erasedWords = ({ isErased }: ErasurePreview): readonly string[] =>
  isErased ? [] : Object.values(ERASED_PARTS)

/** What every erasure leaves. */
export const ERASURE_KEEPS = [
  'The order, with its state, amounts, references, history and list of deliveries.',
  'Earlier backups. Only they can restore the data.',
]

// Codecs of the console's JSON answers, for clients that are not browsers: what waits, and the merchants.
import { OrderView, orNull } from '@plazo/core'
import * as t from 'io-ts'
import { INBOX_KINDS, type InboxKind } from '../pages/waiting.ts'

const WaitingOrder = t.strict({ since: t.string, order: OrderView })
const StuckJobView = t.strict({ id: t.string, order_ref: t.string, message: t.string })

const Section = t.strict({ entries: t.array(t.union([WaitingOrder, StuckJobView])), next: orNull(t.number) })

/** Each requested kind; `found` only after a search. */
export const WaitingView = t.intersection([
  t.type({
    waiting: t.partial(
      Object.fromEntries(INBOX_KINDS.map((kind) => [kind, Section])) as Record<InboxKind, typeof Section>,
    ),
  }),
  t.partial({ found: t.array(OrderView) }),
])
export type WaitingView = t.TypeOf<typeof WaitingView>

export const MerchantView = t.strict({
  ref: t.string,
  name: t.string,
  username: t.string,
  signature_secret: t.string,
  country: orNull(t.string),
  currency: t.string,
  products: t.readonlyArray(t.string),
  optional_fields: t.readonlyArray(t.string),
  options: t.strict({ send_action_events_in_identification: t.boolean }),
})

export const RotatedSecret = t.strict({ ref: t.string, signature_secret: t.string, former_signs_until: t.string })

/** As the page's form sends it. */
export const NewMerchantForm = t.intersection([
  t.type({
    ref: t.string,
    name: t.string,
    username: t.string,
    password: t.string,
    currency: t.string,
    products: t.string,
  }),
  t.partial({ country: t.string, optional_fields: t.string, secret: t.string, send_action_events: t.string }),
])

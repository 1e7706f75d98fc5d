// Moves orders from one stage of the checkout to the next, acting as shopper, merchant and
// operator.
import type { ReceivedRequest, Receiver } from '../harness/receiver.ts'
import { type Action, CARD, CODE, type Json, type Shop } from '../harness/shop.ts'

export const agreement = (product: string, instalmentCount = 1): Json => ({
  credit_agreement: { product, instalment_count: instalmentCount },
})

export const surnames = (text: string): Json => ({ surnames: text })

type PlaceOptions = Parameters<Shop['place']>[0]

export const stagesOf = (shop: Shop) => {
  /** An order that waits for its code. */
  const identified = async (extra: Json = {}, order: PlaceOptions = {}): Promise<string> => {
    const ref = await shop.place(order)
    await shop.submit(ref, extra)
    return ref
  }

  /** An order with a correct code: screening runs. */
  const proven = async (extra: Json = {}, order: PlaceOptions = {}): Promise<string> => {
    const ref = await identified(extra, order)
    await shop.submit(ref, { ...extra, validation_code: CODE })
    return ref
  }

  /** An order whose outcome waits for the next submission. */
  const screened = async (extra: Json = {}, order: PlaceOptions = {}): Promise<string> => {
    const ref = await proven(extra, order)
    await shop.advance(1)
    return ref
  }

  /** An order whose outcome was revealed, and the answer of the identification endpoint. */
  const revealed = async (
    extra: Json = {},
    order: PlaceOptions = {},
  ): Promise<{ readonly ref: string; readonly action: Action }> => {
    const ref = await screened(extra, order)
    return { ref, action: await shop.submit(ref, extra) }
  }

  /** An order for which everything due has run, including the IPN. */
  const settled = async (extra: Json = {}, order: PlaceOptions = {}): Promise<string> => {
    const { ref } = await revealed(extra, order)
    await shop.advance(0)
    return ref
  }

  /** An order paid in full by card, with everything due done. */
  const paid = async (extra: Json = {}, order: PlaceOptions = {}): Promise<string> => {
    const all = { ...agreement('fp1'), ...extra }
    const { ref, action } = await revealed(all, order)
    await shop.pay(action.iframe_url, CARD)
    await shop.advance(0)
    return ref
  }

  return { identified, proven, screened, revealed, settled, paid }
}

export const stateOf = async (shop: Shop, ref: string) => (await shop.order(ref)).state

export const checkoutOf = async (shop: Shop, ref: string): Promise<string> =>
  (await stateOf(shop, ref)).checkout

/** How often the history contains this event. */
export const countEvents = async (shop: Shop, ref: string, event: string): Promise<number> =>
  (await shop.history(ref)).filter((line) => line.event === event).length

/** The requests that the receiver got at this path. */
export const requestsAt = (receiver: Receiver, path: string): readonly ReceivedRequest[] =>
  receiver.received.filter((request) => request.path === path)

/** The order's own addresses at the receiver, distinguished from other orders' by the name. */
export const addressesAt = (receiver: Receiver, name: string, parameters: Json = {}) => ({
  ipn: `/${name}/ipn`,
  events: `/${name}/events`,
  merchant: {
    notify_url: `${receiver.url}/${name}/ipn`,
    events_webhook: { url: `${receiver.url}/${name}/events`, parameters },
  },
})

// Moves orders from one stage of the checkout to the next, acting as shopper, merchant and
// operator.
import type { ReceivedRequest, Receiver } from '../harness/receiver.ts'
import { type Action, CARD, CHALLENGED_CARD, CODE, type Json, type Shop } from '../harness/shop.ts'

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

/** An order, and the values for the parameters of a route's path. */
export type Target = {
  readonly orderRef: string
  readonly params: Readonly<Record<string, string>>
}

// `/sandbox/pay/<uuid>/<token>[/card/<card>|/3ds/<challenge>]` or `/sandbox/verify/<uuid>/<token>`
const pageTarget = (url: unknown): Target => {
  const [, , , uuid = '', token = '', , last = ''] = new URL(String(url)).pathname.split('/')
  return { orderRef: uuid, params: { uuid, token, card: last, challenge: last, port: 'identity' } }
}

/** Brings an order into the state that a route needs. */
export const targetsOf = (shop: Shop, order: PlaceOptions = {}) => {
  const stages = stagesOf(shop)
  const at = async (placed: Promise<string>, params = {}): Promise<Target> => {
    const orderRef = await placed
    return { orderRef, params: { uuid: orderRef, ...params } }
  }
  const reachPaying = async () => (await stages.revealed(agreement('fp1'), order)).action
  return {
    placed: () => at(shop.place(order)),
    identified: () => at(stages.identified({}, order)),
    confirming: () => at(stages.settled({}, order)),
    reviewing: async () => {
      const target = await at(stages.settled(surnames('review event'), order))
      await shop.put(target.orderRef, { state: 'on_hold' })
      await shop.advance(0)
      return target
    },
    confirmed: async () => {
      const order_ref_1 = `A/${crypto.randomUUID()} ñ 100%25 %\n?#`
      const settled = stages.settled({}, { ...order, merchant_reference: { order_ref_1 } })
      const confirmed = await at(settled, { ref: 'demo', order_ref_1 })
      await shop.put(confirmed.orderRef, { state: 'confirmed' })
      await shop.advance(0)
      return confirmed
    },
    paying: async () => pageTarget((await reachPaying()).iframe_url),
    'paying with a saved card': async () => {
      await shop.pay((await reachPaying()).iframe_url, { ...CARD, save: 'on' })
      await shop.advance(0)
      const [card] = (await reachPaying()).reusable_cards as readonly Json[]
      return pageTarget(card?.iframe_url)
    },
    challenged: async () =>
      pageTarget((await shop.pay((await reachPaying()).iframe_url, CHALLENGED_CARD)).src),
    'in an ID session': async () =>
      pageTarget((await stages.revealed(surnames('identity event'), order)).action.session_url),
  }
}

/** A state of an order, by the name of its target. */
export type Stage = keyof ReturnType<typeof targetsOf>

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

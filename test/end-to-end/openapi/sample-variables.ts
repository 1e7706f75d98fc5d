// Values for the variables in the samples: for each operation, an order in a state that allows it.

import type { Shop } from '../../harness/shop.ts'
import { agreement, stagesOf, surnames } from '../stages.ts'
import type { Variables } from './curl.ts'

const lastParts = (url: unknown): readonly string[] =>
  new URL(String(url)).pathname.split('/').slice(2)

export const targetsAt = (shop: Shop) => {
  const stages = stagesOf(shop)

  const placeOrder = async (): Promise<Variables> => ({ ORDER: await shop.place() })

  const reachPaying = async (): Promise<Variables> => {
    const { action } = await stages.revealed(agreement('fp1'))
    const [ORDER = '', TOKEN = ''] = lastParts(action.iframe_url)
    return { ORDER, TOKEN }
  }

  const payingWithACard = async (): Promise<Variables> => {
    const first = await stages.revealed(agreement('fp1'))
    await shop.pay(first.action.iframe_url, {
      number: '4111111111111111',
      expiry: '12/40',
      cvc: '123',
      save: 'on',
    })
    await shop.advance(0)
    const { action } = await stages.revealed(agreement('fp1'))
    const [card] = action.reusable_cards as readonly { readonly iframe_url: string }[]
    const [ORDER = '', TOKEN = '', , CARD = ''] = lastParts(card?.iframe_url)
    return { ORDER, TOKEN, CARD }
  }

  const reachChallenge = async (): Promise<Variables> => {
    const { action } = await stages.revealed(agreement('fp1'))
    const { src } = await shop.pay(action.iframe_url, {
      number: '4000000000003220',
      expiry: '12/40',
      cvc: '123',
    })
    const [ORDER = '', TOKEN = '', , CHALLENGE = ''] = lastParts(src)
    return { ORDER, TOKEN, CHALLENGE }
  }

  const inASession = async (): Promise<Variables> => {
    const { action } = await stages.revealed(surnames('identity event'))
    const [ORDER = '', TOKEN = ''] = lastParts(action.session_url)
    return { ORDER, TOKEN }
  }

  const placeConfirmed = async (): Promise<Variables> => {
    const ORDER_REF_1 = `A/${crypto.randomUUID()}`
    const ORDER = await stages.settled({}, { merchant_reference: { order_ref_1: ORDER_REF_1 } })
    return { ORDER, ORDER_REF_1, DELIVERY: `${ORDER}:none` }
  }

  const placeDelivered = async (): Promise<Variables> => {
    const { ORDER = '' } = await placeConfirmed()
    const listed = await shop.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${ORDER}`)
    const [first] = (await listed.json()) as readonly { readonly id: string }[]
    return { ORDER, DELIVERY: first?.id ?? '' }
  }

  const placeInReview = async (): Promise<Variables> => ({
    ORDER: await stages.settled(surnames('review event')),
  })

  const special: Readonly<Record<string, () => Promise<Variables>>> = {
    confirmOrder: placeConfirmed,
    updateOrder: placeConfirmed,
    showHistory: placeConfirmed,
    resendDelivery: placeDelivered,
    listDeliveries: placeDelivered,
    showOrderPage: placeInReview,
    approveOrder: placeInReview,
    rejectOrder: placeInReview,
    requestCancellation: placeConfirmed,
    cancelOrder: placeConfirmed,
    showCardForm: reachPaying,
    payByCard: reachPaying,
    showSavedCardForm: payingWithACard,
    payBySavedCard: payingWithACard,
    showChallenge: reachChallenge,
    endChallenge: reachChallenge,
    showSession: inASession,
    endSession: inASession,
    listMessages: async () => ({ ORDER: await stages.proven() }),
  }

  return (operationId: string): Promise<Variables> => (special[operationId] ?? placeOrder)()
}

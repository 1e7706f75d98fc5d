// Runs a dispatcher on a store in this process, with clocks that a test controls and a gateway that
// uses real sockets.

import { startDispatcher } from '@plazo/adapters/internal/host'
import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import {
  completeJob,
  type Effect,
  type EffectPayload,
  effectKey,
  executeEffect,
  FORM_CONTENT_TYPE,
  type MerchantGateway,
} from '@plazo/core/internal'
import { aMerchant, type StoreShop, unwrap } from '@plazo/core/internal/testing'
import { onTestFinished } from 'vitest'

type EngineParts = { readonly shop: StoreShop; readonly gateway: MerchantGateway }

/** The dispatcher stops at once when the test ends. */
export const startEngine = ({ shop, gateway }: EngineParts) => {
  const clock = { now: shop.now }
  const dispatcher = startDispatcher({
    store: shop.store,
    clock,
    executeEffect: executeEffect(
      { providers: sandboxProviders(memoryRecords()), gateway, clock },
      0,
    ),
    complete: completeJob(shop.host),
    limits: { deliveries: 64, internal: 64, perAccount: 4 },
    onCompleted: () => {},
    onFailure: () => {},
  })
  onTestFinished(() => dispatcher.stop(0))
  return dispatcher
}

const requestTo = (url: string) => ({
  url,
  contentType: FORM_CONTENT_TYPE,
  body: 'charset=UTF-8&utf8=%E2%88%9A',
})

export const anEvent = (url: string): EffectPayload => ({
  kind: 'event',
  event: 'denied',
  ...requestTo(url),
})
export const anIpn = (url: string): EffectPayload => ({
  kind: 'ipn',
  state: 'approved',
  ...requestTo(url),
})

/**
 * Places an order with deliveries, each in its own lane and due at once. Resolves to their keys.
 */
export const placeWith = async (
  shop: StoreShop,
  merchantRef: string,
  works: readonly EffectPayload[],
): Promise<readonly string[]> => {
  const placingStep = shop.preparePlacing(aMerchant(merchantRef))
  const { orderRef } = placingStep.order.placed
  const effects = works.map((payload, index): Extract<Effect, { type: 'do' }> => {
    const lane = `test-${index}`
    return {
      type: 'do',
      key: effectKey(orderRef, 1, lane),
      lane,
      payload,
      dueAt: shop.now(),
      expiresAt: null,
    }
  })
  await unwrap(shop.store.place({ ...placingStep, effects }, '{}'))
  return effects.map(({ key }) => key)
}

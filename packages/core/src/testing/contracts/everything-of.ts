// By this a test sees that nothing was written.
import type { Order } from '@plazo/core'
import { given, type Shop } from './shop.ts'

/** All that the store tells of an order, but for what a claim would change. */
export const everythingOf = async (
  shop: Shop,
  orderRef: string,
): Promise<{ readonly order: Order; readonly journal: unknown; readonly due: unknown }> => ({
  order: await shop.read(orderRef),
  journal: await shop.journal(orderRef),
  due: await given(shop.store.nextDueAt()),
})

// Tests compare this value before and after a call, to check that nothing was written.
import type { Order } from '@plazo/core'
import { type StoreShop, unwrap } from './shop.ts'

/** Everything that can be read of an order without a claim, which would change it. */
export const readEverything = async (
  shop: StoreShop,
  orderRef: string,
): Promise<{ readonly order: Order; readonly journal: unknown; readonly due: unknown }> => ({
  order: await shop.read(orderRef),
  journal: await shop.journal(orderRef),
  due: await unwrap(shop.store.nextDueAt()),
})

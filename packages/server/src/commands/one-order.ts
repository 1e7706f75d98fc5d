// An operator may name an order by either of its references: this finds the one they mean.
import { findOrders, type Order } from '@plazo/core'
import type { Storage } from './home.ts'
import { refuse, valueOrRefuse } from './terminal.ts'

const requireOne = (orders: readonly Order[], reference: string): Order => {
  const [first, ...others] = orders
  if (first === undefined)
    return refuse(
      `There is no order ${JSON.stringify(reference)}. Give its order_ref, or the order_ref_1 of an order that is being ` +
        'confirmed, is confirmed, or is among the last 10,000 placed. `plazo orders list` shows them.',
    )
  return others.length === 0
    ? first
    : refuse(
        `${orders.length} orders are ${JSON.stringify(reference)} to their merchants: give the order_ref of one.`,
        ...orders.map(({ placed }) => `  ${placed.orderRef}  merchant ${placed.merchant.ref}`),
      )
}

/** Finds an order by its `order_ref` or `order_ref_1`; refuses if none or several match. */
export const findOneOrder = async (storage: Pick<Storage, 'store' | 'merchants'>, reference: string): Promise<Order> =>
  requireOne(await valueOrRefuse(findOrders(storage)(reference)), reference)

// Every command finds its order here. An operator may use any name of it that a merchant or a shopper
// quotes, and the same names work everywhere.
import { findOrders, type Order } from '@plazo/core'
import type { Storage } from './command.ts'
import { onOneLine, refuse, valueOrRefuse } from './terminal.ts'

/** The most orders that a refusal names. */
const NAMED_MAX = 20

const isUuidBeginning = (text: string, { placed }: Order): boolean =>
  placed.orderRef.startsWith(text.toLowerCase())

/**
 * Finds an order by its uuid, the beginning of its uuid, or either reference in any case, because an
 * operator may know any of them. Refuses if none or several match.
 */
export const findOneOrder = async (
  { store }: Pick<Storage, 'store'>,
  reference: string,
): Promise<Order> => {
  const { orders, isWhole } = await valueOrRefuse(findOrders(store, NAMED_MAX)(reference))
  const [first, ...others] = orders
  if (first && others.length === 0 && (isWhole || isUuidBeginning(reference, first))) return first
  const found = isWhole
    ? `${orders.length} orders. Give the order_ref of one`
    : 'no orders. Give an order_ref, order_ref_1 or order_ref_2'
  return refuse(
    `${JSON.stringify(reference)} is the reference of ${found}. \`plazo orders list\` lists them.`,
    ...orders.map(
      ({ placed, context }) =>
        `  ${placed.orderRef}  merchant ${placed.merchant.ref}  ${onOneLine(context.references.first || '-')}`,
    ),
  )
}

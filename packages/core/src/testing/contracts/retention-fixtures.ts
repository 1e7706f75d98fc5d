// Deletes old data batch by batch, as the server does, and shows which deliveries are left.
import type { DroppedBatch, DropRequest } from '@plazo/core/internal'
import { HOUR, listedDeliveries, NOON, type StoreShop, unwrap } from './shop.ts'

export const LATER = NOON + 100 * HOUR

type Drop = (request: DropRequest) => Promise<DroppedBatch>

/** Runs batch after batch until the end. Returns how many were deleted. */
export const droppedBy = async (drop: Drop, before: number, rows = 100): Promise<number> => {
  let count = 0
  for (let after: number | null = 0; after !== null; ) {
    const dropped: DroppedBatch = await drop({ before, after, rows })
    count += dropped.count
    after = dropped.next
  }
  return count
}

export const deliveryIds = async (
  { store }: StoreShop,
  merchantRef = 'demo',
): Promise<readonly string[]> =>
  (await listedDeliveries(store, { merchantRef })).map(({ id }) => id)

export const deliveriesOf =
  ({ store }: StoreShop): Drop =>
  (request) =>
    unwrap(store.retention.dropDeliveries(request))

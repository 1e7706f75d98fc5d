// Fills a sandbox's database with enough data to make each listing long. The commands in this
// folder measure against it.
import { openSqlite } from '@plazo/adapters/sqlite'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import {
  aMerchant,
  finishedAs,
  NOON,
  openShop,
  type StoreShop,
  unwrap,
} from '../../../packages/core/src/testing/contracts/shop.ts'
import { attemptReport } from '../../../packages/core/src/testing/contracts/store-fixtures.ts'
import { addDemoMerchant } from '../../../packages/server/src/sandbox/demo-merchant.ts'

type Size = {
  readonly orders: number
  /** Each has 50 responses of 16 KiB of control characters, which take 4.9 MB as JSON. */
  readonly loudDeliveries: number
  readonly quietDeliveries: number
  readonly historyLines: number
  readonly merchants: number
}

export const LARGE: Size = {
  orders: 10_000,
  loudDeliveries: 12,
  quietDeliveries: 1_000,
  historyLines: 20_000,
  merchants: 300,
}
export const SMALL: Size = {
  orders: 20,
  loudDeliveries: 2,
  quietDeliveries: 20,
  historyLines: 500,
  merchants: 3,
}

/**
 * Merchants of the demo account: the receiver of one sends long responses, that of the other short
 * ones.
 */
export const LOUD = 'demo'
export const QUIET = 'quiet'

const ANSWERS_OF_EACH = 50
const LONGEST_ANSWER = '\u0001'.repeat(16 * 1024)
const TOGETHER = 500

const addDelivered = async (
  shop: StoreShop,
  ref: string,
  answers: number,
  response: string,
): Promise<string> => {
  const orderRef = await shop.place(aMerchant(ref, { username: 'demo' }))
  await shop.submit(orderRef)
  const entry = await shop.claimOne(orderRef, 'action')
  await shop.completeClaim(entry, null, finishedAs(), attemptReport(200, { response }))
  for (let n = 1; n < answers; n++) {
    await unwrap(shop.store.deliveries.resend(ref, entry.key, shop.now()))
    const [repeated] = await shop.claim({ internal: 0 })
    if (repeated === undefined) throw new Error('The delivery that was asked for again is not due.')
    await shop.completeClaim(repeated, null, finishedAs(), attemptReport(200, { response }))
  }
  return entry.key
}

/** What is measured by itself: an order with a long history, and a delivery with long answers. */
export type LargeData = { readonly longOrder: string; readonly loudDelivery: string }

export const fillWithLargeData = async (path: string, size: Size): Promise<LargeData> => {
  const database = openDatabase(path)
  database.pragma('synchronous = OFF')
  const home = openSqlite(path, { database })
  await addDemoMerchant(home.merchants)
  const demo = await unwrap(home.merchants.find('demo'))
  if (demo === null) throw new Error('The demo merchant is missing.')
  await unwrap(home.merchants.add({ ...demo, ref: QUIET }))
  for (let n = 0; n < size.merchants; n++)
    await unwrap(home.merchants.add(aMerchant(`shop-${n}`, { passwordHash: demo.passwordHash })))
  const shop = openShop(home.store)
  // Moves the shop's clock to now, so that nothing is overdue when the server starts.
  shop.advance(Date.now() - NOON)
  for (let n = 0; n < size.quietDeliveries; n++) await addDelivered(shop, QUIET, 1, 'thank you')
  let loudDelivery = ''
  for (let n = 0; n < size.loudDeliveries; n++)
    loudDelivery = await addDelivered(shop, LOUD, ANSWERS_OF_EACH, LONGEST_ANSWER)
  const longOrder = await shop.place(aMerchant('demo'))
  for (let count = 1; count < size.historyLines; count += TOGETHER)
    await Promise.all(
      Array.from({ length: Math.min(TOGETHER, size.historyLines - count) }, (_, n) =>
        shop.applyEvent(longOrder, {
          type: 'references.given',
          first: `A-${(count + n) % 2}`,
          second: null,
        }),
      ),
    )
  for (let count = 0; count < size.orders; count += TOGETHER)
    await Promise.all(
      Array.from({ length: Math.min(TOGETHER, size.orders - count) }, () => shop.place()),
    )
  await home.close()
  return { longOrder, loudDelivery }
}

// Shared helpers of the tests about deliveries: create, complete, read and resend one delivery.
import type {
  Capabilities,
  Delivery,
  Job,
  Order,
  OrderEvent,
  Report,
  Store,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { aMerchant, finishedAs, type StoreShop, unwrap } from './shop.ts'

/** The order's first action event, in flight. */
export const actionInFlight = async (
  shop: StoreShop,
  options = {},
  merchant = aMerchant(),
): Promise<Job> => {
  const orderRef = await shop.placeAndSubmit(merchant)
  return shop.claimOne(orderRef, 'action', options)
}

/** Returns the key of an order's first action event, which is finished. */
export const finishedAction = async (
  shop: StoreShop,
  as: Parameters<typeof finishedAs>[0] = 'delivered',
  merchant = aMerchant(),
): Promise<string> => {
  const job = await actionInFlight(shop, {}, merchant)
  await shop.completeClaim(job, null, finishedAs(as), attemptReport(as === 'delivered' ? 200 : 500))
  return job.key
}

/** The IPN of an order that its merchant is asked to confirm, in flight. */
export const ipnInFlight = async (shop: StoreShop): Promise<Job> =>
  shop.claimOne(await shop.placeConfirming(), 'ipn')

/** The merchant accepts the IPN, so the order is confirmed. */
export const confirmByIpn = async (
  shop: StoreShop,
  orderRef: string,
  report = attemptReport(200),
): Promise<void> => {
  await shop.leadToConfirmation(orderRef)
  const ipn = await shop.claimOne(orderRef, 'ipn')
  await shop.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key }, finishedAs(), report)
}

const ROUNDS = 30

/** Runs all jobs of the store, and advances the time for those that are due later. */
export const finishJobs = async (shop: StoreShop, report = attemptReport(200)): Promise<void> => {
  for (let round = 0; round < ROUNDS; round++) {
    await shop.work()
    for (const job of await shop.claim()) await shop.completeClaim(job, null, finishedAs(), report)
    const nextDueAt = await unwrap(shop.store.nextDueAt())
    if (nextDueAt === null) return
    shop.advance(Math.max(0, nextDueAt - shop.now()))
  }
  throw new Error('The jobs do not come to an end.')
}

/**
 * The result of the claimed job cannot be applied, so the job becomes stuck, with the message `an
 * internal error`.
 */
export const makeStuck = async ({ store }: StoreShop, job: Job, report?: Report): Promise<void> => {
  const decide = () => E.left({ message: 'an internal error' })
  await unwrap(store.complete(job, { result: finishedAs(), decide, report }))
}

export const findDelivery = ({ store }: StoreShop, id: string): Promise<Delivery> =>
  unwrap(store.deliveries.find('demo', id))

export const resend = ({ store, now }: StoreShop, id: string): Promise<void> =>
  unwrap(store.deliveries.resend('demo', id, now()))

export const attemptReport = (status: number, overrides: Partial<Report> = {}): Report => ({
  durationMillis: 12,
  status,
  error: status < 300 ? null : 'unaccepted_status',
  response: null,
  ...overrides,
})

export const retryAt = (dueAt: number) => ({ type: 'retry', dueAt }) as const

/** Each test of the store contract gets a fresh store, and a shop that creates orders on it. */
export type OpenedStore = {
  /** With the capabilities whose contracts run. */
  readonly store: Store & Partial<Capabilities>
  /** Each operation reads or writes all data, so the test of many orders has fewer of them. */
  readonly isSlow?: true
  /**
   * Opens the data once more, as a process does that starts after a crash. A contract with
   * `isDurable` needs it and `failAt`.
   */
  readonly reopen?: () => Promise<Store & Partial<Capabilities>>
  /**
   * The `n`-th write of a row from now on fails, and so does every later one, as on a full disk.
   * Infinity: writes succeed.
   */
  readonly failAt?: (n: number) => void | Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Tests compare this value before and after a call, to check that nothing was written. Everything
 * that can be read of an order without a claim, which would change it.
 */
export const readEverything = async (
  shop: StoreShop,
  orderRef: string,
): Promise<{ readonly order: Order; readonly journal: unknown; readonly nextDueAt: unknown }> => ({
  order: await shop.read(orderRef),
  journal: await shop.journal(orderRef),
  nextDueAt: await unwrap(shop.store.nextDueAt()),
})

/** Tests complete this claimed effect to see whether the step that its answer causes was made. */
export const screeningInFlight = async (
  shop: StoreShop<Store>,
  orderRef: string,
  options = {},
): Promise<Job> => {
  await shop.submit(orderRef)
  await shop.enterCode(orderRef)
  return shop.claimOne(orderRef, 'screening', options)
}

export const approvalOf = ({ key }: Job): OrderEvent => ({
  type: 'screening.resolved',
  inReplyTo: key,
  outcome: 'approved',
  alternative: null,
})

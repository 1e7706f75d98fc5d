// Shared helpers of the tests about deliveries: create, settle, read and resend one delivery.
import type { Delivery, Job, Report } from '@plazo/core'
import { finishedAs, type StoreShop, unwrap } from './shop.ts'

/** The order's first action event, in flight. */
export const actionInFlight = async (shop: StoreShop, options = {}): Promise<Job> => {
  const orderRef = await shop.place()
  await shop.submit(orderRef)
  return shop.claimOne(orderRef, 'action', options)
}

export const finishedAction = async (shop: StoreShop, as: Parameters<typeof finishedAs>[0]): Promise<string> => {
  const { key, ...entry } = await actionInFlight(shop)
  await shop.completeClaim({ key, ...entry }, null, finishedAs(as), attemptReport(as === 'delivered' ? 200 : 500))
  return key
}

export const findDelivery = ({ store }: StoreShop, id: string): Promise<Delivery> =>
  unwrap(store.deliveries.find('demo', id))

export const resend = ({ store, now }: StoreShop, id: string): Promise<void> =>
  unwrap(store.deliveries.resend('demo', id, now()))

export const attemptReport = (status: number, own: Partial<Report> = {}): Report => ({
  durationMillis: 12,
  status,
  error: status < 300 ? null : 'unaccepted_status',
  response: null,
  ...own,
})

export const retryAt = (dueAt: number) => ({ type: 'retry', dueAt }) as const

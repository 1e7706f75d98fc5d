// Shared helpers of the tests about deliveries: create, settle, read and resend one delivery.
import type { Delivery, Entry, Report } from '@plazo/core'
import { ended, given, type Shop } from './shop.ts'

/** The order's first action event, in flight. */
export const actionInFlight = async (shop: Shop, asking = {}): Promise<Entry> => {
  const orderRef = await shop.place()
  await shop.submit(orderRef)
  return shop.claimOne(orderRef, 'action', asking)
}

export const actionEndedAs = async (shop: Shop, as: Parameters<typeof ended>[0]): Promise<string> => {
  const { key, ...entry } = await actionInFlight(shop)
  await shop.settle({ key, ...entry }, null, ended(as), heard(as === 'delivered' ? 200 : 500))
  return key
}

export const found = ({ store }: Shop, id: string): Promise<Delivery> => given(store.deliveries.find('demo', id))

export const resend = ({ store, now }: Shop, id: string): Promise<void> =>
  given(store.deliveries.resend('demo', id, now()))

export const heard = (status: number, own: Partial<Report> = {}): Report => ({
  durationMillis: 12,
  status,
  error: status < 300 ? null : 'unaccepted_status',
  response: null,
  ...own,
})

export const again = (dueAt: number) => ({ type: 'again', dueAt }) as const

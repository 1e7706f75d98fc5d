// Tests settle this claimed effect to see whether the step that its answer causes was made.
import type { Job, OrderEvent } from '@plazo/core'
import { CODE, type StoreShop } from './shop.ts'

export const screeningInFlight = async (shop: StoreShop, orderRef: string, options = {}): Promise<Job> => {
  await shop.submit(orderRef)
  await shop.submit(orderRef, { validation_code: CODE })
  return shop.claimOne(orderRef, 'screening', options)
}

export const approvalOf = ({ key }: Job): OrderEvent => ({
  type: 'screening.resolved',
  inReplyTo: key,
  outcome: 'approved',
  alternative: null,
})

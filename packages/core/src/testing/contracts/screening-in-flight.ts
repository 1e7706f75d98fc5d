// Tests settle this claimed effect to see whether the step that its answer causes was made.
import type { Entry, OrderEvent } from '@plazo/core'
import { CODE, type Shop } from './shop.ts'

export const screeningInFlight = async (shop: Shop, orderRef: string, asking = {}): Promise<Entry> => {
  await shop.submit(orderRef)
  await shop.submit(orderRef, { validation_code: CODE })
  return shop.claimOne(orderRef, 'screening', asking)
}

export const approval = ({ key }: Entry): OrderEvent => ({
  type: 'screening.resolved',
  answers: key,
  outcome: 'approved',
  alternative: null,
})

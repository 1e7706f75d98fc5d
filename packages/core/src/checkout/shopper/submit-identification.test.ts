import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Order } from '../../order/order.ts'
import type { Step } from '../../order/step.ts'
import { orderFixture, PLACED, SHOPPER, TERMS } from '../../testing/harness/order-fixture.ts'
import type { Host } from '../host.ts'
import { submitIdentification } from './submit-identification.ts'

const AT = Date.parse('2026-11-25T23:30:00Z')

const orderIn = (country: string | null): Order =>
  orderFixture({ merchant: { ...PLACED.merchant, country } }).order()

/** The step that a submission makes of the order. */
const submitTo = (order: Order, fields: object = {}): Step => {
  let result: Step | undefined
  const host = {
    terms: TERMS,
    clock: { now: () => AT },
    ids: { random: () => ({ code: '90001', token: 't' }) },
    store: {
      step: (
        _ref: string,
        decide: (order: Order, referenceIsTaken: boolean) => E.Either<unknown, { step: Step }>,
      ) => {
        const decided = decide(order, false)
        if (E.isRight(decided)) result = decided.right.step
        return () => Promise.resolve(decided)
      },
    },
  } as unknown as Host
  submitIdentification(host)('U', { ...SHOPPER, service_privacy_policy_accepted: true, ...fields })
  if (result === undefined) throw new Error('The submission made no step.')
  return result
}

describe('the step of a submission', () => {
  it.each([
    ['ES', '2026-11-26'],
    ['MX', '2026-11-25'],
    [null, '2026-11-25'],
  ])('for a merchant of %s stores the day %s by which it was judged', (country, day) => {
    const [line] = submitTo(orderIn(country)).journal
    expect(line?.input?.stepInput).toMatchObject({ at: AT, day })
  })

  it('is made for a shopper who is of age on the day of the merchant’s country', () => {
    const born = { dob_year: '2008', dob_month: '11', dob_day: '26' }
    expect(submitTo(orderIn('ES'), born).journal).toHaveLength(1)
    expect(submitTo(orderIn('PT'), born).journal).toEqual([])
  })
})

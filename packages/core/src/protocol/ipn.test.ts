import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ipnBody } from './ipn.ts'
import { ipnParameterNames } from './order-payload.ts'

const orderRef = '0b7f3f5e-6a51-4f0e-9d7c-2f1f8a6c9b10'
const ipn = {
  orderRef,
  references: { first: 'A-1', second: 'B 2' },
  productCode: 'pp3',
  stateParameter: 'sq_state',
  state: 'approved' as const,
  sinceSeconds: 0,
  notificationParameters: { storeId: '1', signature: 'chosen-by-the-shop' },
}

describe('an IPN', () => {
  it('says that the order is approved, and since when', () => {
    expect(ipnBody(ipn)).toBe(
      `order_ref=${orderRef}&order_ref_1=A-1&order_ref_2=B+2&product_code=pp3&sq_state=approved&approved_since=0&storeId=1&signature=chosen-by-the-shop`,
    )
  })

  it('says that the order needs review, and since when', () => {
    expect(ipnBody({ ...ipn, state: 'needs_review', sinceSeconds: 86400, notificationParameters: {} })).toBe(
      `order_ref=${orderRef}&order_ref_1=A-1&order_ref_2=B+2&product_code=pp3&sq_state=needs_review&needs_review_since=86400`,
    )
  })

  it('sends absent references empty, and the state under the name that is set', () => {
    expect(
      ipnBody({ ...ipn, references: { first: '', second: '' }, stateParameter: 'state', notificationParameters: {} }),
    ).toBe(`order_ref=${orderRef}&order_ref_1=&order_ref_2=&product_code=pp3&state=approved&approved_since=0`)
  })

  it('is read back by a form parser as what was sent, each of the merchant’s entries under its own name', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(
        fc.record({
          orderRef: text,
          references: fc.record({ first: text, second: text }),
          productCode: fc.constantFrom('i1', 'pp3', 'sp1', 'fp1'),
          stateParameter: fc.constantFrom('sq_state', 'state'),
          state: fc.constantFrom('approved' as const, 'needs_review' as const),
          sinceSeconds: fc.nat(),
          notificationParameters: fc.dictionary(text, text, { noNullPrototype: true }),
        }),
        (made) => {
          expect([...new URLSearchParams(ipnBody(made))]).toEqual([
            ['order_ref', made.orderRef],
            ['order_ref_1', made.references.first],
            ['order_ref_2', made.references.second],
            ['product_code', made.productCode],
            [made.stateParameter, made.state],
            [made.state === 'approved' ? 'approved_since' : 'needs_review_since', String(made.sinceSeconds)],
            ...Object.entries(made.notificationParameters),
          ])
        },
      ),
    )
  })

  it('has no parameter of its own that a merchant’s may be named like', () => {
    for (const state of ['approved', 'needs_review'] as const) {
      const names = [...new URLSearchParams(ipnBody({ ...ipn, state, notificationParameters: {} })).keys()]
      for (const name of names) expect(ipnParameterNames('sq_state')).toContain(name)
    }
  })
})

import { expect, it } from 'vitest'
import { wireNames } from './terms.ts'

it('one setting determines every name that contains the service’s own', () => {
  expect(wireNames('AcmePay', 'sq_state')).toEqual({
    service: 'AcmePay',
    signatureHeader: 'X-AcmePay-Signature',
    userAgent: 'AcmePay-Event/1.0',
    merchantHeader: 'AcmePay-Merchant-Id',
    privacyField: 'acmepay_privacy_policy_accepted',
    ipnStateParameter: 'sq_state',
  })
})

// A sandbox starts with this merchant, whose password and signing secret everybody knows, so that
// nobody needs an account to try it. Production refuses them. Contract §7.
import { hashPassword } from '@plazo/adapters/encryption'
import type { Merchants } from '@plazo/core/ports'
import { CATALOGUE } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import type { SampleAccounts } from '../http/additions.ts'
import { KNOWN_MERCHANT } from '../merchants/known-credentials.ts'
import { SANDBOX_OPERATOR_PASSWORD } from '../settings/config.ts'

export const DEMO_MERCHANT = 'demo'
export const DEMO_SECRET = KNOWN_MERCHANT.secret

/**
 * The demo shop's cart, in cents. It is large enough that the fees of a plan are a usual annual
 * rate.
 */
export const DEMO_CART = [
  { name: 'City bike', total_with_tax: 84_900 },
  { name: 'Helmet', total_with_tax: 5_100 },
] as const

/** The demo shop and its accounts in the samples of the reference. */
export const demoSamples = (baseUrl: string): SampleAccounts => ({
  shop: `${baseUrl}/demo`,
  merchant: `${KNOWN_MERCHANT.username}:${KNOWN_MERCHANT.password}`,
  operatorPassword: `\${OPERATOR_PASSWORD:-${SANDBOX_OPERATOR_PASSWORD}}`,
})

export const addDemoMerchant = async (merchants: Merchants): Promise<void> => {
  const existing = await merchants.find(DEMO_MERCHANT)()
  if (E.isRight(existing) && existing.right !== null) return
  await merchants.add({
    ref: DEMO_MERCHANT,
    name: 'Demo',
    username: KNOWN_MERCHANT.username,
    passwordHash: await hashPassword(KNOWN_MERCHANT.password),
    signatureSecret: DEMO_SECRET,
    country: null,
    currency: 'EUR',
    products: CATALOGUE.map(({ code }) => code),
    optionalFields: [],
    sendActionEvents: false,
  })()
}

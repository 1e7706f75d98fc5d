// A sandbox starts with this merchant, whose password everybody knows. A sandbox's database that is taken into production still
// contains it: the server then does not start and, like `plazo doctor`, says what to do. Contract §7.
import { hashPassword, verifyPassword } from '@plazo/adapters/encryption'
import { CATALOGUE, type Merchants } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'

export const DEMO_MERCHANT = 'demo'
const DEMO_USERNAME = 'demo'
const DEMO_PASSWORD = 'demo'
export const DEMO_SECRET = '0123456789abcdef0123456789abcdef'

export const addDemoMerchant = async (merchants: Merchants): Promise<void> => {
  const existing = await merchants.find(DEMO_MERCHANT)()
  if (E.isRight(existing) && existing.right !== null) return
  await merchants.add({
    ref: DEMO_MERCHANT,
    name: 'Demo',
    username: DEMO_USERNAME,
    passwordHash: await hashPassword(DEMO_PASSWORD),
    signatureSecret: DEMO_SECRET,
    country: null,
    currency: 'EUR',
    products: CATALOGUE.map(({ code }) => code),
    optionalFields: [],
    sendActionEvents: false,
  })()
}

/**
 * True if the database has the demo merchant with the credentials that everybody knows. Another merchant may be named `demo`.
 */
export const hasDemoMerchant = async (merchants: Merchants): Promise<boolean> => {
  const demo = await merchants.find(DEMO_MERCHANT)()
  if (E.isLeft(demo) || demo.right === null) return false
  const { username, signatureSecret, passwordHash } = demo.right
  return (
    username === DEMO_USERNAME && signatureSecret === DEMO_SECRET && (await verifyPassword(DEMO_PASSWORD, passwordHash))
  )
}

/** Why production does not start with the demo merchant, and what to do. */
export const DEMO_IN_PRODUCTION = {
  says: 'DATABASE_URL is a sandbox’s database: its merchant demo has a well-known password, so anybody can call as demo',
  todo:
    'Give MODE=production its own database. To keep this one, first change the password: ' +
    '`plazo merchant set --ref demo --password <password>`.',
} as const

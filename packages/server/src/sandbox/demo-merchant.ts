// A sandbox starts with this merchant, whose password and signing secret everybody knows, so that
// nobody needs an account to try it. Production refuses them. Contract §7.

import { hashPassword } from '@plazo/adapters/encryption'
import type { Merchants } from '@plazo/core/ports'
import { CATALOGUE } from '@plazo/core/protocol'
import { KNOWN_MERCHANT } from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'

export const DEMO_MERCHANT = 'demo'
export const DEMO_SECRET = KNOWN_MERCHANT.secret

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

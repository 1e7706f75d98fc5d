import { hashPassword, verifyPassword } from '@plazo/adapters/internal/encryption'
import { memoryMerchants } from '@plazo/adapters/memory'
import type { Merchant } from '@plazo/core/ports'
import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { openLog } from '../log/log.ts'
import { merchantAccess } from './access.ts'
import { createLogins } from './limits/logins.ts'
import { minuteLimit } from './limits/rate-limits.ts'
import type { HandlerError } from './problem.ts'

// The real functions, with their calls counted.
vi.mock('@plazo/adapters/internal/encryption', { spy: true })

const passwordHash = await hashPassword('right')
const lamps: Merchant = {
  ref: 'lamps',
  name: 'Lamps & Co',
  username: 'lamps',
  passwordHash,
  signatureSecret: '0123456789abcdef0123456789abcdef',
  country: null,
  currency: 'EUR',
  products: ['i1'],
  optionalFields: [],
  sendActionEvents: false,
}

const access = merchantAccess({
  merchants: memoryMerchants([lamps]),
  merchantHeader: 'Service-Merchant-Id',
  logins: createLogins({
    limit: minuteLimit(20, () => 0),
    addressOf: () => '203.0.113.1',
    log: openLog('silent'),
  }),
  reads: () => {},
  refusesPassword: (password) => password === 'well known',
})

const app = new Hono().onError((thrown, c) => c.json((thrown as HandlerError).error))
app.get('/', async (c) => {
  await access.account(c)
  return c.json('in')
})

const authorize = async (username: string, password: string): Promise<unknown> => {
  const authorization = `Basic ${btoa(`${username}:${password}`)}`
  return (await app.request('/', { headers: { authorization } })).json()
}

it('an account that does not exist is indistinguishable from a wrong password, in the answer and in the work done', async () => {
  const wrong = await authorize('lamps', 'wrong')
  expect(wrong).toMatchObject({ status: 401 })
  expect(verifyPassword).toHaveBeenCalledTimes(1)
  expect(await authorize('nobody', 'wrong')).toEqual(wrong)
  expect(verifyPassword).toHaveBeenCalledTimes(2)
  // It is checked against a hash that costs as much as a merchant's. A hash of another form would
  // be refused without any work.
  expect(vi.mocked(verifyPassword).mock.lastCall?.[1]).toMatch(/^scrypt\$[\w-]{22}\$[\w-]{43}$/)
})

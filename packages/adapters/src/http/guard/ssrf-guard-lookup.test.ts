import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  aGateway,
  OK,
  postTo,
  rawMerchant,
  replies,
  resolver,
  strictGuard,
} from '../../../../../test/harness/raw-merchant.ts'
import type { LookupAll } from './ssrf-guard.ts'

const delivered = E.right({ status: 200, retryAfter: null, body: '{}' })
const failure = (error: string) => ({ left: { _tag: 'RequestFailure', error } })

describe('a merchant’s name', () => {
  it('may have an unreachable address among reachable ones', async () => {
    const merchant = await rawMerchant(replies(OK))
    const { lookup } = resolver(['::1', '127.0.0.1'])
    const gateway = aGateway({ lookup })
    expect(await postTo({ url: `http://shop.test:${merchant.port}/` }, gateway)).toEqual(delivered)
  })

  it.each([[['fe80::1%lo', '127.0.0.1']], [['not an address']]])(
    'with the addresses %j is not called at all',
    async (addresses) => {
      const listener = await rawMerchant(replies(OK))
      const { lookup } = resolver(addresses)
      const result = await postTo(
        { url: `http://shop.test:${listener.port}/` },
        aGateway({ lookup, guard: strictGuard(listener.port) }),
      )
      expect(result).toMatchObject(failure('blocked_address'))
      expect(listener.connections()).toBe(0)
    },
  )

  it('that cannot be resolved because of a lack of sockets does not count against the merchant', async () => {
    const lookup: LookupAll = (_, __, callback) =>
      callback(Object.assign(new Error('no more'), { code: 'EMFILE' }), [])
    expect(await postTo({ url: 'http://shop.test:8080/' }, aGateway({ lookup }))).toMatchObject(
      failure('no_socket'),
    )
  })
})

describe('a connection', () => {
  it('that was kept is checked again before it is reused', async () => {
    const merchant = await rawMerchant(replies(OK))
    let isAllowed = true
    const gateway = aGateway({ guard: { checkUrl: () => null, isAllowed: () => isAllowed } })
    expect(await postTo(merchant, gateway)).toEqual(delivered)
    isAllowed = false
    expect(await postTo(merchant, gateway)).toMatchObject(failure('blocked_address'))
    expect(merchant.requests).toHaveLength(1)
  })
})

describe('a lookup', () => {
  it('that ends after the attempt’s time connects to nothing', async () => {
    const listener = await rawMerchant(replies(OK))
    let answerLate = () => {}
    const lookup: LookupAll = (_name, _options, callback) => {
      answerLate = () => callback(null, [{ address: '127.0.0.1', family: 4 }])
    }
    const gateway = aGateway({ lookup, timeoutMillis: 100 })
    const result = await postTo({ url: `http://shop.test:${listener.port}/` }, gateway)
    expect(result).toMatchObject(failure('timeout'))
    answerLate()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(listener.connections()).toBe(0)
  })
})

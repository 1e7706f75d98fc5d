import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  aGateway,
  OK,
  postOf,
  rawMerchant,
  replies,
  resolver,
  strictGuard,
} from '../../../../../test/harness/raw-merchant.ts'
import { addressGuard, type LookupAll } from './ssrf-guard.ts'

const delivered = E.right({ status: 200, retryAfter: null, body: '{}' })
const failure = (error: string) => ({ left: { _tag: 'RequestFailure', error } })

const closing = OK.replace('\r\n', '\r\nConnection: close\r\n')

describe('a merchant’s name', () => {
  it('is resolved, and its address is called', async () => {
    const merchant = await rawMerchant(replies(OK))
    const { lookup } = resolver(['127.0.0.1'])
    const gateway = aGateway({ lookup, guard: strictGuard(merchant.port) })
    expect(await gateway.post(postOf({ url: `http://shop.test:${merchant.port}/` }))()).toEqual(delivered)
    expect(merchant.requests[0]).toContain(`Host: shop.test:${merchant.port}\r\n`)
  })

  it('may have an unreachable address among reachable ones', async () => {
    const merchant = await rawMerchant(replies(OK))
    const { lookup } = resolver(['::1', '127.0.0.1'])
    const gateway = aGateway({ lookup })
    expect(await gateway.post(postOf({ url: `http://shop.test:${merchant.port}/` }))()).toEqual(delivered)
  })

  it.each([
    [['127.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['93.184.216.34', '127.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['2606:4700::1111', '::ffff:7f00:1']],
    [['169.254.169.254']],
    [['fe80::1%lo', '127.0.0.1']],
    [['not an address']],
  ])('with the addresses %j is not called at all', async (addresses) => {
    const listener = await rawMerchant(replies(OK))
    const { lookup } = resolver(addresses)
    const result = await aGateway({ lookup, guard: strictGuard() }).post(
      postOf({ url: `http://shop.test:${listener.port}/` }),
    )()
    expect(result).toMatchObject(failure('blocked_address'))
    expect(listener.connections()).toBe(0)
  })

  it.each(['EMFILE', 'ENFILE', 'ENOMEM'])(
    'that cannot be resolved because of a lack of resources (%s) does not count against the merchant',
    async (code) => {
      const lookup: LookupAll = (_, __, callback) => callback(Object.assign(new Error('no more'), { code }), [])
      expect(await aGateway({ lookup }).post(postOf({ url: 'http://shop.test:8080/' }))()).toMatchObject(
        failure('no_socket'),
      )
    },
  )

  it('that changes to a private address between two attempts is not called the second time', async () => {
    const listener = await rawMerchant(replies(OK))
    // Nothing listens at the first address. The test only checks where the second attempt would go.
    const { lookup } = resolver(['::1'], ['127.0.0.1'])
    const allow = [{ cidr: '::1/128', port: listener.port }]
    const guard = { ...addressGuard({ mode: 'production', allow }), checkUrl: () => null }
    const gateway = aGateway({ lookup, guard })
    const attempt = gateway.post(postOf({ url: `http://shop.test:${listener.port}/` }))
    expect(await attempt()).toMatchObject(failure('connection_refused'))
    expect(await attempt()).toMatchObject(failure('blocked_address'))
    expect(listener.connections()).toBe(0)
  })

  it('is resolved once per attempt, so that a second answer cannot redirect it', async () => {
    const merchant = await rawMerchant(replies(closing))
    const { lookup, lookups } = resolver(['127.0.0.1'])
    const gateway = aGateway({ lookup, guard: strictGuard(merchant.port) })
    const attempt = gateway.post(postOf({ url: `http://shop.test:${merchant.port}/` }))
    await attempt()
    expect(lookups()).toBe(1)
    await attempt()
    expect(lookups()).toBe(2)
  })
})

describe('a connection', () => {
  it('that reached a blocked address gets no bytes', async () => {
    const listener = await rawMerchant(replies(OK))
    // As if the lookup had been bypassed: a literal address is not looked up, and this guard lets its URL pass.
    const gateway = aGateway({ guard: strictGuard() })
    expect(await gateway.post(postOf({ url: listener.url }))()).toMatchObject(failure('blocked_address'))
    expect(listener.bytes()).toBe(0)
  })

  it('that was kept is checked again before it is reused', async () => {
    const merchant = await rawMerchant(replies(OK))
    let isAllowed = true
    const gateway = aGateway({ guard: { checkUrl: () => null, isAllowed: () => isAllowed } })
    expect(await gateway.post(postOf({ url: merchant.url }))()).toEqual(delivered)
    isAllowed = false
    expect(await gateway.post(postOf({ url: merchant.url }))()).toMatchObject(failure('blocked_address'))
    expect(merchant.requests).toHaveLength(1)
  })
})

describe('a lookup', () => {
  const url = 'http://shop.test/'

  it.each<[string, LookupAll]>([
    ['fails', (_name, _options, callback) => callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])],
    ['finds nothing', (_name, _options, callback) => callback(null, [])],
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
  ])('that %s has its own error', async (_what, lookup) => {
    expect(await aGateway({ lookup }).post(postOf({ url }))()).toMatchObject(failure('dns'))
  })

  it('that never ends is limited by the attempt’s time', async () => {
    const gateway = aGateway({ lookup: () => {}, timeoutMillis: 100 })
    expect(await gateway.post(postOf({ url }))()).toMatchObject(failure('timeout'))
  })

  it('that ends after the attempt’s time connects to nothing', async () => {
    const listener = await rawMerchant(replies(OK))
    let answerLate = () => {}
    const lookup: LookupAll = (_name, _options, callback) => {
      answerLate = () => callback(null, [{ address: '127.0.0.1', family: 4 }])
    }
    const gateway = aGateway({ lookup, timeoutMillis: 100 })
    const result = await gateway.post(postOf({ url: `http://shop.test:${listener.port}/` }))()
    expect(result).toMatchObject(failure('timeout'))
    answerLate()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(listener.connections()).toBe(0)
  })
})

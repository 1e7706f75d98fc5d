import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startConnectProxy } from '../../../../../test/harness/connect-proxy.ts'
import { LOOPBACK_CERTIFICATE } from '../../../../../test/harness/loopback-certificate.ts'
import {
  aGateway,
  OK,
  postOf,
  postTo,
  rawMerchant,
  replies,
  resolver,
  secureMerchant,
  strictGuard,
} from '../../../../../test/harness/raw-merchant.ts'
import { addressGuard } from '../guard/ssrf-guard.ts'
import { proxyFor } from './outbound-proxy.ts'

const delivered = E.right({ status: 200, retryAfter: null, body: '{}' })
const failure = (error: string, reason: unknown) => ({ left: { error, reason } })

describe('a call through a proxy', () => {
  it('sends the same bytes, over connections that are kept, and looks up no name', async () => {
    const merchant = await rawMerchant(replies(OK))
    const { proxy, host, connects } = await startConnectProxy()
    const { lookup, lookups } = resolver(['10.0.0.1'])
    const authenticated = { ...proxy, url: `http://plazo:p%40ss@${host}` }
    const gateway = aGateway({ proxy: authenticated, lookup, guard: strictGuard() })
    const url = `http://shop.test:${merchant.port}/events?shop=1`
    for (const id of ['first', 'second']) {
      expect(await postTo({ url }, gateway, { id })).toEqual(delivered)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    expect(connects).toMatchObject([
      {
        authority: `shop.test:${merchant.port}`,
        headers: {
          host: `shop.test:${merchant.port}`,
          'proxy-authorization': `Basic ${Buffer.from('plazo:p@ss').toString('base64')}`,
        },
      },
    ])
    for (const request of merchant.requests) {
      expect(request).toMatch(/^POST \/events\?shop=1 HTTP\/1\.1\r\n/)
      expect(request).toContain(`\r\nHost: shop.test:${merchant.port}\r\n`)
      expect(request).not.toMatch(/proxy/i)
    }
    expect([merchant.requests.length, merchant.connections(), lookups()]).toEqual([2, 1, 0])
  })

  it('checks the certificate of the merchant itself', async () => {
    const authorities = getCACertificates()
    setDefaultCACertificates([...authorities, LOOPBACK_CERTIFICATE.cert])
    onTestFinished(() => setDefaultCACertificates(authorities))
    const merchant = await secureMerchant()
    const { proxy, connects } = await startConnectProxy()
    const gateway = aGateway({ proxy })
    expect(await postTo({ url: `https://shop.test:${merchant.port}/` }, gateway)).toEqual(delivered)
    expect(await postTo({ url: `https://other.test:${merchant.port}/` }, gateway)).toMatchObject(
      failure('tls', expect.stringContaining('another name')),
    )
    expect([merchant.requests(), connects.length]).toEqual([1, 2])
  })

  it('is refused without a CONNECT if the URL names an address that must not be called', async () => {
    const { proxy, connects } = await startConnectProxy()
    const gateway = aGateway({ proxy, guard: addressGuard({ allow: [] }) })
    for (const host of [
      '0x7f.1',
      '169.254.169.254',
      '[::ffff:10.0.0.1]',
      'localhost',
      'a.localhost',
    ])
      expect(await postTo({ url: `https://${host}/` }, gateway)).toMatchObject(
        failure('blocked_address', expect.any(String)),
      )
    expect(connects).toEqual([])
  })

  it('fails with a sentence about the proxy if it refuses, is away, or does not answer', async () => {
    const url = 'http://shop.test/'
    const refusing = await startConnectProxy(403)
    expect(await postTo({ url }, aGateway({ proxy: refusing.proxy }))).toMatchObject(
      failure('connection_refused', 'The service’s proxy answered 403.'),
    )
    const away = { url: 'http://127.0.0.1:1', except: [] }
    expect(await postTo({ url }, aGateway({ proxy: away }))).toMatchObject(
      failure('connection_refused', 'The service’s proxy cannot be reached.'),
    )
    const silent = await startConnectProxy(null)
    const hurried = aGateway({ proxy: silent.proxy, timeoutMillis: 200 })
    expect(await postTo({ url }, hurried)).toMatchObject(
      failure('timeout', 'No connection was made within the time of an attempt.'),
    )
  })

  it('is not made to an excepted host, whose addresses are checked as without a proxy', async () => {
    const merchant = await rawMerchant(replies(OK))
    const { proxy, connects } = await startConnectProxy()
    const { lookup } = resolver(['127.0.0.1'])
    const gateway = (...ports: readonly number[]) =>
      aGateway({ proxy: { ...proxy, except: ['shop.test'] }, lookup, guard: strictGuard(...ports) })
    const url = `http://shop.test:${merchant.port}/`
    expect(await gateway(merchant.port).post(postOf({ url }))()).toMatchObject(delivered)
    expect(await postTo({ url }, gateway())).toMatchObject(
      failure('blocked_address', expect.any(String)),
    )
    expect(connects).toEqual([])
  })
})

describe('a host is called without the proxy', () => {
  const proxy = (...except: readonly string[]) => ({ url: 'http://proxy.internal:3128', except })
  const isDirect = (url: string, ...except: readonly string[]) =>
    proxyFor(proxy(...except), new URL(url)) === null

  it.each([
    ['https://shop.example/', 'shop.example'],
    ['https://a.shop.example/', 'shop.example'],
    ['https://a.shop.example/', '.shop.example'],
    ['https://a.shop.example/', '*.Shop.example'],
    ['https://shop.example:8443/', 'shop.example:8443'],
    ['https://shop.example/', 'shop.example:443'],
    ['https://shop.example/', '*'],
    ['https://10.1.2.3/', '10.1.2.3'],
    ['https://0xa.1.2.3/', '10.0.0.0/8'],
    ['https://[fd12::1]/', 'fd12::/16'],
    ['https://[fd12::1]:8443/', '[fd12::1]:8443'],
  ])('%s, because of %s', (url, entry) => {
    expect(isDirect(url, 'other.example', entry)).toBe(true)
  })

  it.each(['http://localhost:3000/', 'http://a.localhost/', 'http://127.0.0.1/', 'http://[::1]/'])(
    '%s, because it is this machine',
    (url) => {
      expect(isDirect(url)).toBe(true)
    },
  )

  it.each([
    ['https://shop.example/', 'op.example'],
    ['https://shop.example/', 'a.shop.example'],
    ['https://shop.example/', 'shop.example:8443'],
    ['https://11.1.2.3/', '10.0.0.0/8'],
    ['https://8.10.0.0.example/', '10.0.0.0/8'],
  ])('but not %s because of %s', (url, entry) => {
    expect(isDirect(url, entry)).toBe(false)
  })
})

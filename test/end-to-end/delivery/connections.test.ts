// Everything a receiver can do to the connection, one attempt each. A title's number is the number
// of the case in docs/delivery.md. The 30 s of an attempt are 2 s or less here; the gateways' own
// tests hold the 30 s.

import type { Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../packages/adapters/src/http/guard/ssrf-guard.ts'
import { EXPIRED_CERTIFICATE, LOOPBACK_CERTIFICATE } from '../../harness/loopback-certificate.ts'
import {
  aGateway,
  drips,
  ends,
  floods,
  HEAD,
  hangs,
  OK,
  type Reply,
  rawMerchant,
  replies,
  reset,
  resolver,
  secureMerchant,
  strictGuard,
} from '../../harness/raw-merchant.ts'
import { AGREED, attempt, DELIVERED, erredAttempt } from './attempt.ts'

const CANCELLED = '{"result":"cancelled"}'
const EVENTS = [
  'denied',
  'cancelled',
  'risk_assessment',
  'identification_action',
  'cancel',
  'ipn',
] as const

/** A gateway whose attempts time out soon. */
const short = () => aGateway({ timeoutMillis: 300 })

const bytesWritten = () => {
  const closed = Promise.withResolvers<number>()
  return {
    closed: closed.promise,
    watch: (socket: Socket) => socket.on('close', () => closed.resolve(socket.bytesWritten)),
  }
}

describe('a receiver that is slow or endless', () => {
  it('1. an attempt without an answer fails when its time is over, and its connection is closed', async () => {
    const closed = Promise.withResolvers<void>()
    const merchant = await rawMerchant(hangs, (socket) =>
      socket.on('close', () => closed.resolve()),
    )
    const others = await rawMerchant(replies(OK))
    // Long enough for a prompt answer on a busy machine.
    const gateway = aGateway({ timeoutMillis: 2_000 })
    const hanging = Promise.all(
      EVENTS.map(async (event) => ({
        event,
        result: await attempt({ url: merchant.url, event, gateway }),
      })),
    )
    expect(await attempt({ url: others.url, gateway })).toMatchObject(DELIVERED)
    for (const { event, result } of await hanging)
      expect(result).toMatchObject(
        event === 'ipn'
          ? { ...erredAttempt('timeout'), event: { type: 'ipn.erred' } }
          : erredAttempt('timeout'),
      )
    await closed.promise
  })

  it('2. headers that arrive byte by byte have one time limit for all of them', async () => {
    const merchant = await rawMerchant(drips(`${HEAD}X-Slow: `, 'x'))
    for (const event of ['denied', 'cancel'] as const)
      expect(await attempt({ url: merchant.url, event, gateway: short() })).toMatchObject(
        erredAttempt('timeout'),
      )
  })

  it('3. a slow endless body after 200 is an error for cancel; for other events the status line is enough', async () => {
    const merchant = await rawMerchant(drips(`${HEAD}Content-Length: 20000\r\n\r\n`, ' '))
    expect(await attempt({ url: merchant.url, event: 'cancel', gateway: short() })).toMatchObject(
      erredAttempt('timeout'),
    )
    expect(await attempt({ url: merchant.url, event: 'cancelled' })).toMatchObject(DELIVERED)
    expect(await attempt({ url: merchant.url, event: 'ipn' })).toMatchObject({
      event: { type: 'ipn.accepted' },
    })
  })

  it('4. an endless body is cut off at 64 KiB; this is an error for cancel, and other events are delivered', async () => {
    for (const [event, expected] of [
      ['cancel', erredAttempt('response_too_large')],
      ['denied', DELIVERED],
    ] as const) {
      const { closed, watch } = bytesWritten()
      const merchant = await rawMerchant(floods(`${HEAD}\r\n`), watch)
      expect(await attempt({ url: merchant.url, event })).toMatchObject(expected)
      // At most what the buffers of the operating system hold.
      expect(await closed).toBeLessThan(32 * 1024 * 1024)
    }
  })

  it('5. a gzip bomb is never decompressed; this is an error for cancel, and other events are delivered', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
    expect(bomb.length).toBeLessThan(64 * 1024)
    const head = `${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const merchant = await rawMerchant(replies(head, bomb))
    expect(await attempt({ url: merchant.url, event: 'cancel' })).toMatchObject(
      erredAttempt('answered 200'),
    )
    expect(await attempt({ url: merchant.url, event: 'denied' })).toMatchObject(DELIVERED)
    const answer = gzipSync(CANCELLED)
    const zipped = await rawMerchant(
      replies(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${answer.length}\r\n\r\n`, answer),
    )
    expect(await attempt({ url: zipped.url, event: 'cancel' })).toMatchObject(
      erredAttempt('answered 200'),
    )
  })
})

describe('a receiver whose answer breaks', () => {
  it('23. a reset, a cut-off answer and invalid HTTP are separate errors; except for cancel, an accepted status line is enough', async () => {
    const before: readonly (readonly [string, Reply])[] = [
      ['connection_reset', (socket) => socket.resetAndDestroy()],
      ['connection_reset', (socket) => socket.end()],
      [
        'protocol_error',
        replies(`${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
      ],
      ['response_too_large', replies(`${HEAD}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`)],
      ['response_too_large', replies(`${HEAD}${'X-Long: 12345678\r\n'.repeat(1_000)}\r\n`)],
      ['protocol_error', replies('SSH-2.0-OpenSSH_9.9\r\n')],
      ['answered 999', replies('HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\n{}')],
    ]
    const within: readonly (readonly [string, Reply])[] = [
      ['connection_reset', reset(`${HEAD}Content-Length: 90\r\n\r\n${CANCELLED}`)],
      ['connection_reset', ends(`${HEAD}Content-Length: 90\r\n\r\n${CANCELLED}`)],
      [
        'protocol_error',
        replies(`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n${CANCELLED}\r\n`),
      ],
    ]
    for (const [error, reply] of [...before, ...within]) {
      const merchant = await rawMerchant(reply)
      expect(await attempt({ url: merchant.url, event: 'cancel' })).toMatchObject(
        erredAttempt(error),
      )
    }
    for (const [error, reply] of before) {
      const merchant = await rawMerchant(reply)
      expect(await attempt({ url: merchant.url, event: 'denied' })).toMatchObject(
        erredAttempt(error),
      )
    }
    for (const [, reply] of within) {
      const merchant = await rawMerchant(reply)
      expect(await attempt({ url: merchant.url, event: 'denied' })).toMatchObject(DELIVERED)
    }
  })

  it('24. the interim answers 100 and 103 are skipped, and 101 is an error', async () => {
    const answer = `${HEAD}Content-Length: ${CANCELLED.length}\r\n\r\n${CANCELLED}`
    for (const interim of [
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50),
    ]) {
      const merchant = await rawMerchant(replies(interim, answer))
      expect(await attempt({ url: merchant.url, event: 'cancel' })).toMatchObject(AGREED)
      expect(await attempt({ url: merchant.url, event: 'denied' })).toMatchObject(DELIVERED)
    }
    for (const headers of ['', 'Connection: upgrade\r\nUpgrade: x\r\n']) {
      const merchant = await rawMerchant(replies(`HTTP/1.1 101 Switch\r\n${headers}\r\n`))
      expect(await attempt({ url: merchant.url })).toMatchObject(erredAttempt('protocol_error'))
    }
  })
})

describe('a receiver that cannot be reached', () => {
  it('25. a name that does not resolve is an error, and a lookup that hangs counts against the time limit', async () => {
    const url = 'http://shop.test/events'
    const failLookup = (code: string) =>
      aGateway({
        lookup: (_name, _options, callback) =>
          callback(Object.assign(new Error(code), { code }), []),
      })
    for (const gateway of [
      failLookup('ENOTFOUND'),
      failLookup('EAI_AGAIN'),
      aGateway({ lookup: resolver([]).lookup }),
    ])
      expect(await attempt({ url, gateway })).toMatchObject(erredAttempt('dns'))
    const hanging = aGateway({ lookup: () => {}, timeoutMillis: 100 })
    expect(await attempt({ url, gateway: hanging })).toMatchObject(erredAttempt('timeout'))
  })

  it('26. a private address is blocked in every notation, behind every name and after a changed lookup; no byte is sent', async () => {
    const listener = await rawMerchant(replies(OK))
    const port = listener.port
    const named = `http://shop.test:${port}/events`
    const lists = [
      ['93.184.216.34', '127.0.0.1'],
      ['::1'],
      ['64:ff9b::7f00:1'],
      ['::ffff:127.0.0.1'],
      ['168.63.129.16'],
    ]
    for (const addresses of lists) {
      const gateway = aGateway({ lookup: resolver(addresses).lookup, guard: strictGuard() })
      expect(await attempt({ url: named, gateway })).toMatchObject(erredAttempt('blocked_address'))
    }
    const production = aGateway({ guard: addressGuard({ allow: [] }) })
    for (const host of [
      '0x7f.1',
      '2130706433',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '168.63.129.16',
      'localhost',
    ])
      expect(await attempt({ url: `https://${host}:${port}/`, gateway: production })).toMatchObject(
        erredAttempt('blocked_address'),
      )
    // The address is allowed at the first lookup and different at the second. The last case
    // connects despite all checks.
    const allow = [{ cidr: '::1/128', port }]
    const guard = { ...addressGuard({ allow }), checkUrl: () => null }
    const rebinding = aGateway({ lookup: resolver(['::1'], ['127.0.0.1']).lookup, guard })
    expect(await attempt({ url: named, gateway: rebinding })).toMatchObject(
      erredAttempt('connection_refused'),
    )
    expect(await attempt({ url: named, gateway: rebinding })).toMatchObject(
      erredAttempt('blocked_address'),
    )
    expect(
      await attempt({ url: listener.url, gateway: aGateway({ guard: strictGuard() }) }),
    ).toMatchObject(erredAttempt('blocked_address'))
    expect(listener.bytes()).toBe(0)
  })

  it('27. an expired, untrusted or foreign certificate is an error, like failed TLS; no request is sent', async () => {
    const trusted = getCACertificates()
    const selfSigned = await secureMerchant()
    expect(await attempt({ url: selfSigned.url })).toMatchObject(erredAttempt('tls'))
    setDefaultCACertificates([...trusted, LOOPBACK_CERTIFICATE.cert, EXPIRED_CERTIFICATE.cert])
    try {
      expect(await attempt({ url: selfSigned.url })).toMatchObject(DELIVERED)
      const expired = await secureMerchant(EXPIRED_CERTIFICATE)
      expect(await attempt({ url: expired.url })).toMatchObject(erredAttempt('tls'))
      const gateway = aGateway({ lookup: resolver(['127.0.0.1']).lookup })
      expect(
        await attempt({ url: `https://other.test:${selfSigned.port}/`, gateway }),
      ).toMatchObject(erredAttempt('tls'))
      const old = await secureMerchant({
        maxVersion: 'TLSv1',
        minVersion: 'TLSv1',
        ciphers: 'ALL:@SECLEVEL=0',
      })
      expect(await attempt({ url: old.url })).toMatchObject(erredAttempt('tls'))
      expect([expired.requests(), selfSigned.requests(), old.requests()]).toEqual([0, 1, 0])
    } finally {
      setDefaultCACertificates(trusted)
    }
    const plain = await rawMerchant(replies(OK), (socket) =>
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    expect(await attempt({ url: `https://127.0.0.1:${plain.port}/` })).toMatchObject(
      erredAttempt('tls'),
    )
    const stalled = await rawMerchant(hangs)
    const url = `https://127.0.0.1:${stalled.port}/`
    expect(await attempt({ url, gateway: short() })).toMatchObject(erredAttempt('timeout'))
    expect([...plain.requests, ...stalled.requests]).toEqual([])
  })
})

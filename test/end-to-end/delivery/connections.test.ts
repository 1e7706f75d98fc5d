// Everything a receiver can do to the connection, one attempt each. The 30 s of an attempt are 2 s or
// less here; the gateways' own tests hold the 30 s.

import type { Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../packages/adapters/src/http/guard/ssrf-guard.ts'
import { BROKEN_BODIES, BROKEN_HEADS } from '../../harness/broken-responses.ts'
import { EXPIRED_CERTIFICATE, LOOPBACK_CERTIFICATE } from '../../harness/loopback-certificate.ts'
import {
  aGateway,
  drips,
  floods,
  HEAD,
  hangs,
  OK,
  rawMerchant,
  replies,
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

const UNKNOWN_STATUS = [
  'has a status that nobody knows',
  replies('HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\n{}'),
  'answered 999',
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
  it('an attempt without an answer fails when its time is over, and its connection is closed', async () => {
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

  it('headers that arrive byte by byte have one time limit for all of them', async () => {
    for (const reply of [
      drips(`${HEAD}X-Slow: `, 'x'),
      drips('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    ]) {
      const { url } = await rawMerchant(reply)
      for (const event of ['denied', 'cancel'] as const)
        expect(await attempt({ url, event, gateway: short() })).toMatchObject(
          erredAttempt('timeout'),
        )
    }
  })

  it('a slow endless body after 200 is an error for cancel; for other events the status line is enough', async () => {
    const merchant = await rawMerchant(drips(`${HEAD}Content-Length: 20000\r\n\r\n`, ' '))
    expect(await attempt({ url: merchant.url, event: 'cancel', gateway: short() })).toMatchObject(
      erredAttempt('timeout'),
    )
    expect(await attempt({ url: merchant.url, event: 'ipn' })).toMatchObject({
      event: { type: 'ipn.accepted' },
    })
  })

  it('an endless body is cut off at 64 KiB; this is an error for cancel, and other events are delivered', async () => {
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

  it('a gzip bomb is never decompressed; this is an error for cancel, and other events are delivered', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
    expect(bomb.length).toBeLessThan(64 * 1024)
    const head = `${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const merchant = await rawMerchant(replies(head, bomb))
    expect(await attempt({ url: merchant.url, event: 'cancel' })).toMatchObject(
      erredAttempt('answered 200'),
    )
    expect(await attempt({ url: merchant.url, event: 'denied' })).toMatchObject(DELIVERED)
  })
})

describe('a receiver whose answer breaks', () => {
  it('a reset, a cut-off answer and invalid HTTP are separate errors; except for cancel, an accepted status line is enough', async () => {
    for (const [list, isAccepted] of [
      [[...BROKEN_HEADS, UNKNOWN_STATUS], false],
      [BROKEN_BODIES, true],
    ] as const)
      for (const [what, reply, error] of list) {
        const { url } = await rawMerchant(reply)
        expect(await attempt({ url, event: 'cancel' }), what).toMatchObject(erredAttempt(error))
        expect(await attempt({ url, event: 'denied' }), what).toMatchObject(
          isAccepted ? DELIVERED : erredAttempt(error),
        )
      }
  })

  it('the interim answers 100 and 103 are skipped, and 101 is an error', async () => {
    const answer = `${HEAD}Content-Length: ${CANCELLED.length}\r\n\r\n${CANCELLED}`
    for (const interim of [
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(50),
    ]) {
      const merchant = await rawMerchant(replies(interim, answer))
      expect(await attempt({ url: merchant.url, event: 'cancel' })).toMatchObject(AGREED)
      expect(await attempt({ url: merchant.url, event: 'denied' })).toMatchObject(DELIVERED)
    }
    const switching = await rawMerchant(replies('HTTP/1.1 101 Switch\r\n\r\n'))
    expect(await attempt({ url: switching.url })).toMatchObject(erredAttempt('protocol_error'))
  })
})

describe('a receiver that cannot be reached', () => {
  it('a name that does not resolve is an error, and a lookup that hangs counts against the time limit', async () => {
    const url = 'http://shop.test/events'
    const unresolved = aGateway({ lookup: resolver([]).lookup })
    expect(await attempt({ url, gateway: unresolved })).toMatchObject(erredAttempt('dns'))
    const hanging = aGateway({ lookup: () => {}, timeoutMillis: 100 })
    expect(await attempt({ url, gateway: hanging })).toMatchObject(erredAttempt('timeout'))
  })

  it('a private address is blocked in every notation, behind every name and after a changed lookup; no byte is sent', async () => {
    const listener = await rawMerchant(replies(OK))
    const port = listener.port
    const named = `http://shop.test:${port}/events`
    for (const addresses of [['93.184.216.34', '127.0.0.1'], ['::ffff:127.0.0.1']]) {
      const gateway = aGateway({ lookup: resolver(addresses).lookup, guard: strictGuard() })
      expect(await attempt({ url: named, gateway })).toMatchObject(erredAttempt('blocked_address'))
    }
    const production = aGateway({ guard: addressGuard({ allow: [] }) })
    for (const host of ['0x7f.1', 'localhost'])
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

  it('an expired, untrusted or foreign certificate is an error, like failed TLS; no request is sent', async () => {
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
      expect([expired.requests(), selfSigned.requests()]).toEqual([0, 1])
    } finally {
      setDefaultCACertificates(trusted)
    }
    const plain = await rawMerchant(replies(OK), (socket) =>
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    )
    expect(await attempt({ url: `https://127.0.0.1:${plain.port}/` })).toMatchObject(
      erredAttempt('tls'),
    )
    expect(plain.requests).toEqual([])
  })
})

// Everything a receiver can do to the connection, one attempt each. The 30 s of an attempt are 2 s or
// less here; the gateways' own tests hold the 30 s, the certificates and the names.

import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../packages/adapters/src/http/guard/ssrf-guard.ts'
import { BROKEN_BODIES, BROKEN_HEADS } from '../../harness/broken-responses.ts'
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
  it('a private address is blocked after a changed lookup and without a lookup; no byte is sent', async () => {
    const listener = await rawMerchant(replies(OK))
    const { port, url } = listener
    const named = `http://shop.test:${port}/events`
    // It is allowed at the first lookup, and private at the second.
    const guard = { ...addressGuard({ allow: [{ cidr: '::1/128', port }] }), checkUrl: () => null }
    const rebinding = aGateway({ lookup: resolver(['::1'], ['127.0.0.1']).lookup, guard })
    for (const [to, gateway, error] of [
      [named, rebinding, 'connection_refused'],
      [named, rebinding, 'blocked_address'],
      [url, aGateway({ guard: strictGuard() }), 'blocked_address'],
    ] as const)
      expect(await attempt({ url: to, gateway })).toMatchObject(erredAttempt(error))
    expect(listener.bytes()).toBe(0)
  })
})

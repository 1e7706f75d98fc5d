import type { Socket } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  aGateway,
  OK,
  postOf,
  postTo,
  rawMerchant,
  replies,
  SECRET,
} from '../../../../../test/harness/raw-merchant.ts'
import { sign, signStandardWebhook } from '../signature.ts'

const response = (status: number, body = '{}') => E.right({ status, retryAfter: null, body })

describe('a request to a merchant', () => {
  it('is a POST with the headers of the interface and the contract, and no others', async () => {
    const merchant = await rawMerchant(replies(OK))
    await aGateway().post(
      postOf({ url: merchant.url, contentType: 'application/json', body: '{"name":"José"}' }),
    )()
    const [head = '', body] = merchant.requests[0]?.split('\r\n\r\n') ?? []
    const [requestLine, ...headers] = head.split('\r\n')
    const message = { id: 'order:1:notice', timestamp: 1_700_000_000, body: '{"name":"José"}' }
    expect(requestLine).toBe('POST /events HTTP/1.1')
    expect(headers.sort()).toEqual([
      'Accept-Encoding: identity',
      'Accept: application/json',
      'Connection: keep-alive',
      'Content-Length: 16',
      'Content-Type: application/json',
      `Host: 127.0.0.1:${merchant.port}`,
      'User-Agent: Service-Event/1.0',
      'Webhook-Id: order:1:notice',
      `Webhook-Signature: ${signStandardWebhook([SECRET], message)}`,
      'Webhook-Timestamp: 1700000000',
      `X-Service-Signature: ${sign(SECRET, '{"name":"José"}')}`,
    ])
    expect(body).toBe('{"name":"José"}')
  })

  it('is reported with its timestamp and signatures, also if there is no answer', async () => {
    const merchant = await rawMerchant(replies('no HTTP\r\n\r\n'))
    const answer = await aGateway().post(postOf({ url: merchant.url }))()
    const { sent } = E.isLeft(answer) ? answer.left : answer.right
    const [received = ''] = merchant.requests
    expect(received).toContain(`Webhook-Timestamp: ${sent?.timestamp}\r\n`)
    const signatures = Object.entries(sent?.signatures ?? {})
    expect(signatures).toHaveLength(2)
    for (const [name, signature] of signatures)
      expect(received).toContain(`${name}: ${signature}\r\n`)
  })

  it('has 30 s', async () => {
    const merchant = await rawMerchant(replies(OK))
    const limits: number[] = []
    const timers = {
      monotonicNow: () => 0,
      after: (millis: number) => {
        limits.push(millis)
        return { cancel: () => {} }
      },
    }
    expect(await postTo(merchant, aGateway({ timers }))).toEqual(response(200))
    expect(limits).toEqual([30_000])
  })
})

describe('the answer', () => {
  it('ends at its announced length, even if more follows', async () => {
    const merchant = await rawMerchant(replies(`${OK}${OK}`))
    const gateway = aGateway()
    for (let number = 0; number < 2; number++) {
      expect(await postTo(merchant, gateway, { readsBody: true })).toEqual(response(200))
    }
  })

  it.each([
    ['until the end of the connection', 'Connection: close\r\n\r\n{"a":1}'],
    [
      'said to be coded as itself',
      'Content-Encoding: Identity\r\nContent-Length: 7\r\n\r\n{"a":1}',
    ],
  ])('may come %s', async (_how, rest) => {
    const merchant = await rawMerchant((socket) => {
      socket.write(`HTTP/1.1 202 Accepted\r\n${rest}`)
      if (rest.startsWith('Connection')) socket.end()
    })
    expect(await postTo(merchant, aGateway(), { readsBody: true })).toEqual(
      response(202, '{"a":1}'),
    )
  })
})

describe('a connection', () => {
  it.each([true, false])('is reused, whether the body decides (%s) or not', async (readsBody) => {
    const merchant = await rawMerchant(replies(OK))
    const gateway = aGateway()
    for (let number = 0; number < 3; number++) {
      expect(await postTo(merchant, gateway, { readsBody })).toEqual(response(200))
      await idle()
    }
    expect(merchant.requests).toHaveLength(3)
    expect(merchant.connections()).toBe(1)
  })

  it.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed without a word', (socket) => socket.end()],
  ])(
    'that is %s when it is reused fails that attempt, which was one request; the next has a new one',
    async (_, cut) => {
      const merchant = await rawMerchant((socket, number) => {
        if (number === 1) socket.write(OK)
        else cut(socket)
      })
      const gateway = aGateway()
      const answers = []
      for (const id of ['first', 'second', 'third']) {
        answers.push(await postTo(merchant, gateway, { id }))
        await idle()
      }
      expect(answers).toMatchObject([
        response(200),
        { left: { error: 'connection_reset' } },
        response(200),
      ])
      expect(merchant.requests.map((request) => /^Webhook-Id: (.*)$/m.exec(request)?.[1])).toEqual([
        'first',
        'second',
        'third',
      ])
      expect(merchant.connections()).toBe(2)
    },
  )

  it('never passes bytes after one answer to the next request', async () => {
    const surplus = 'HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n[]'
    const closed = Promise.withResolvers<void>()
    const merchant = await rawMerchant(
      (socket) => {
        socket.write(OK)
        setTimeout(() => socket.write(surplus), 10)
      },
      (socket) => socket.on('close', () => closed.resolve()),
    )
    const gateway = aGateway()
    await postTo(merchant, gateway, { readsBody: true })
    // The surplus ends the idle connection.
    await closed.promise
    expect(await postTo(merchant, gateway, { readsBody: true })).toEqual(response(200))
  })

  it('belongs to one merchant: merchants on one host cannot decide each other’s requests', async () => {
    const merchant = await rawMerchant((socket) => {
      setTimeout(() => socket.write(OK), 20)
      setTimeout(() => socket.write('HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n'), 30)
    })
    const gateway = aGateway()
    for (const merchantRef of ['one', 'another', 'third'])
      expect(await postTo(merchant, gateway, { merchantRef })).toEqual(response(200))
    expect(merchant.connections()).toBe(3)
  })

  it.each([
    ['has no body', 'HTTP/1.1 204 None\r\n\r\n', 204],
    ['nobody expected', 'HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n', 500],
  ])(
    'is not reused after an answer that %s, because more may follow',
    async (_, answer, status) => {
      const merchant = await rawMerchant((socket) => {
        socket.write(answer)
        setTimeout(() => socket.write('<html>'), 10)
      })
      const gateway = aGateway()
      for (const id of ['first', 'second'])
        expect(await postTo(merchant, gateway, { id })).toEqual(response(status, ''))
      expect(merchant.connections()).toBe(2)
    },
  )

  it('ends with the gateway, including attempts in flight', async () => {
    const gateway = aGateway()
    const merchant = await rawMerchant(() => gateway.close())
    expect(await postTo(merchant, gateway)).toMatchObject({
      left: { error: 'connection_reset' },
    })
  })
})

// An answer is reported a moment before its connection is free again. Both happen on this event
// loop.
const idle = () => new Promise((resolve) => setTimeout(resolve, 60))

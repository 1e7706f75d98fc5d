// Deliveries as a merchant sees and controls them: attempts, resend, recover and examples. Contract
// §3.
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { verify } from '@plazo/adapters/internal/http'
import { describe, expect, it, vi } from 'vitest'
import { DEMO, type Json } from '../harness/shop.ts'
import { servedShopOnFile } from './served-shop.ts'
import { addressesAt, requestsAt, surnames } from './stages.ts'

type Delivery = {
  readonly id: string
  readonly event: string
  readonly state: string
  readonly attempts: readonly Json[]
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const CLI = fileURLToPath(new URL('../../packages/server/src/cli.ts', import.meta.url))

const { server, receiver, shop, stages, env, plazo } = await servedShopOnFile()

const listDeliveries = async (query: string): Promise<readonly Delivery[]> => {
  const response = await shop.asMerchant('GET', `/merchants/demo/deliveries?${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as readonly Delivery[]
}

const ofOrder = (ref: string): Promise<readonly Delivery[]> => listDeliveries(`order_ref=${ref}`)

/** The only delivery of an order. */
const deliveryOf = async (ref: string): Promise<Delivery> => {
  const deliveries = await ofOrder(ref)
  expect(deliveries).toHaveLength(1)
  return deliveries[0] as Delivery
}

/** An order that was denied, and whose merchant answered the event with this status. */
const placeDenied = async (name: string, status: number): Promise<string> => {
  const { merchant, events } = addressesAt(receiver, name)
  receiver.answer(events, { status, body: 'thank you' })
  return stages.settled(surnames('denial event'), { merchant })
}

describe('the deliveries of a merchant', () => {
  it('show an event with its attempt in every field', async () => {
    const ref = await placeDenied('seen', 200)
    expect(await ofOrder(ref)).toEqual([
      {
        id: requestsAt(receiver, '/seen/events')[0]?.headers['webhook-id'],
        event: 'denied',
        order_ref: ref,
        state: 'delivered',
        due_at: null,
        attempts: [
          {
            n: 1,
            trigger: 'schedule',
            started_at: expect.stringMatching(INSTANT),
            duration_ms: expect.any(Number),
            outcome: 'accepted',
            status: 200,
            error: null,
            error_reason: null,
            response: 'thank you',
          },
        ],
      },
    ])
  })

  it('come in pages, each linked from the page of newer ones', async () => {
    const { merchant, events } = addressesAt(receiver, 'paged')
    receiver.answer(events, { status: 200 })
    const ref = await stages.settled(surnames('review event'), { merchant })
    await shop.decide(ref, 'reject')
    await shop.advance(0)
    const all = await ofOrder(ref)
    expect(all.map(({ event }) => event)).toEqual(['ipn', 'cancelled'])
    const path = `/merchants/demo/deliveries?order_ref=${ref}`
    const newest = await shop.asMerchant('GET', `${path}&limit=1`)
    expect(await newest.json()).toEqual([all[1]])
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(newest.headers.get('link') ?? '') ?? []
    expect(next).toMatch(new RegExp(`^${server.url}/merchants/demo/deliveries\\?`))
    const older = await shop.asMerchant('GET', next)
    expect(await older.json()).toEqual([all[0]])
    expect(older.headers.get('link')).toBeNull()
    expect((await shop.asMerchant('GET', path)).headers.get('link')).toBeNull()
  })
})

describe('the command line next to a running server', () => {
  const runDeliveries = (...options: readonly string[]) => plazo.run('deliveries', ...options)

  it('lists what the API lists', async () => {
    const ref = await placeDenied('cli-list', 500)
    const { stdout } = await runDeliveries('list', '--merchant', 'demo', '--order', ref, '--json')
    expect(JSON.parse(stdout)).toEqual(await ofOrder(ref))
    expect((await runDeliveries('list', '--merchant', 'demo', '--order', ref)).stdout).toMatch(
      /^ID\tEVENT\tSTATE\tDUE\tLAST ATTEMPT\n\S+:notice\tdenied\tpending\t\S+Z\tattempt 1 schedule \S+Z failed, 500: the shop did not accept it\n$/,
    )
  })

  it('recovers a delivery, which the server finds at its next poll', async () => {
    const { now: since } = await shop.advance(9 * 86_400)
    const ref = await placeDenied('cli-polled', 500)
    receiver.answer('/cli-polled/events', { status: 200 })
    const words = ['recover', '--merchant', 'demo', '--since', since, '--yes', '--json']
    expect(JSON.parse((await runDeliveries(...words)).stdout)).toEqual({ count: 1 })
    await vi.waitFor(async () => expect((await deliveryOf(ref)).state).toBe('delivered'), {
      timeout: 10_000,
    })
    expect((await deliveryOf(ref)).attempts.at(-1)).toMatchObject({ n: 2, trigger: 'recover' })
  })

  it('follows attempts, and prints each with the shop’s answer as it ends, which no terminal obeys', async () => {
    const child = spawn(
      process.execPath,
      [CLI, 'deliveries', 'list', '--merchant', 'demo', '--follow', '--limit', '20'],
      { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk
    })
    const { merchant, events } = addressesAt(receiver, 'followed')
    const body = 'one\u001b[2J\u009b\u202e\ntwo'
    receiver.answer(events, { status: 500, body })
    // Until the command looks for the first time, it takes what it sees for old.
    while (!printed.includes('  two\n'))
      await stages.settled(surnames('denial event'), { merchant })
    expect(printed).toMatch(
      /^\S+Z {2}denied of \S+, attempt \d: failed, 500: the shop did not accept it\n {2}one\\u001b\[2J\\u009b\\u202e\n {2}two\n/,
    )
    child.kill()
    await once(child, 'exit')
  })
})

describe('an example', () => {
  const example = (body: unknown): Promise<Response> =>
    shop.asMerchant('POST', '/merchants/demo/deliveries/example', body)

  it.each(['cancel', 'ipn'])(
    'of %s is signed, and returns the merchant’s response',
    async (event) => {
      const path = `/example-${event}`
      receiver.answer(path, { status: 202, body: '{"result":"cancelled"}' })
      const response = await example({ event, url: `${receiver.url}${path}?a=b` })
      expect(response.status).toBe(200)
      const [request] = requestsAt(receiver, path)
      expect(request?.headers['x-service-signature']).toBe(
        createHmac('sha256', DEMO.secret)
          .update(request?.body ?? '')
          .digest('hex'),
      )
      expect(await response.json()).toEqual({
        id: request?.headers['webhook-id'],
        event,
        url: `${receiver.url}${path}?a=b`,
        body: request?.body,
        outcome: 'accepted',
        status: 202,
        error: null,
        error_reason: null,
        response: '{"result":"cancelled"}',
        duration_ms: expect.any(Number),
      })
      expect(await listDeliveries('')).not.toContainEqual(
        expect.objectContaining({ id: request?.headers['webhook-id'] }),
      )
    },
  )

  it('with a fault comes twice, is signed with another secret, or is followed by a cancel', async () => {
    const send = async (fault: string) => {
      const path = `/example-${fault}`
      receiver.answer(path, ({ headers, body }) => ({
        status: verify(DEMO.secret, body, String(headers['x-service-signature'])) ? 200 : 401,
      }))
      const answer = await example({ event: 'ipn', url: `${receiver.url}${path}`, fault })
      const ids = requestsAt(receiver, path).map(({ headers }) => String(headers['webhook-id']))
      return { ids, answer: (await answer.json()) as Json }
    }
    const duplicate = await send('duplicate')
    expect(duplicate).toMatchObject({ answer: { event: 'ipn', status: 200 } })
    expect(duplicate.ids).toHaveLength(2)
    expect(new Set(duplicate.ids).size).toBe(1)
    const forged = await send('wrong_signature')
    expect(forged).toMatchObject({ answer: { event: 'ipn', status: 401, outcome: 'error' } })
    expect(forged.ids).toHaveLength(1)
    const cancelled = await send('late_cancel')
    expect(cancelled).toMatchObject({ answer: { event: 'cancel', status: 200 } })
    expect(new Set(cancelled.ids.map((id) => id.split(':')[0])).size).toBe(1)
    expect(new Set(cancelled.ids).size).toBe(2)
  })

  it.each([
    [409, { event: 'denied', url: 'http://169.254.169.254/latest' }],
    [400, { event: 'ipn', url: receiver.url, fault: 'none' }],
  ])('is %d, as a problem, for %j', async (status, body) => {
    const refused = await example(body)
    expect(refused.status).toBe(status)
    expect(refused.headers.get('content-type')).toContain('application/problem+json')
  })

  it('runs for at most four of a merchant’s requests at once, and the next is rejected', async () => {
    const responses: ServerResponse[] = []
    receiver.answer('/example-held', (_, response) => {
      responses.push(response)
      return null
    })
    const expected = { event: 'denied', url: `${receiver.url}/example-held` }
    const examples = Array.from({ length: 5 }, () => example(expected))
    const refused = await Promise.race(examples)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    await vi.waitFor(() => expect(responses).toHaveLength(4))
    for (const response of responses) response.end()
    const statuses = (await Promise.all(examples)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(4)
  })
})

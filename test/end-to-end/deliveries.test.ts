// Deliveries as a merchant sees and controls them: attempts, resend, recover and examples. Contract
// §3.
import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { verify } from '@plazo/adapters/http'
import { describe, expect, it, vi } from 'vitest'
import { DEMO, type Json } from '../harness/shop.ts'
import { servedShopOnFile } from './served-shop.ts'
import { addressesAt, requestsAt, surnames } from './stages.ts'

type Attempt = {
  readonly n: number
  readonly trigger: string
  readonly started_at: string
  readonly duration_ms: number | null
  readonly outcome: string | null
  readonly status: number | null
  readonly error: string | null
  readonly error_reason: string | null
  readonly response: string | null
}

type Delivery = {
  readonly id: string
  readonly event: string
  readonly order_ref: string
  readonly state: string
  readonly due_at: string | null
  readonly attempts: readonly Attempt[]
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const CLI = fileURLToPath(new URL('../../packages/server/src/cli.ts', import.meta.url))

const { server, receiver, shop, stages, env, plazo } = await servedShopOnFile()

const listDeliveries = async (query: string): Promise<readonly Delivery[]> => {
  const response = await shop.asMerchant('GET', `/merchants/demo/deliveries?${query}`)
  expect(response.status).toBe(200)
  return (await response.json()) as readonly Delivery[]
}

const ofOrder = (ref: string, state = ''): Promise<readonly Delivery[]> =>
  listDeliveries(`order_ref=${ref}&state=${state}`)

const only = (deliveries: readonly Delivery[]): Delivery => {
  const [first, ...others] = deliveries
  if (first === undefined || others.length > 0)
    throw new Error(`Not one delivery, but ${JSON.stringify(deliveries)}.`)
  return first
}

const now = async (): Promise<string> =>
  ((await (await shop.send('GET', '/sandbox/clock')).json()) as { now: string }).now

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

  it.each(['101', '99999999999999999999'])('has a page for the limit %s', async (limit) => {
    const answer = await shop.asMerchant('GET', `/merchants/demo/deliveries?limit=${limit}`)
    expect(answer.status).toBe(200)
  })

  it('show in a list the beginning of the last answer, and by themselves every answer', async () => {
    const ref = await placeDenied('answered', 500)
    receiver.answer('/answered/events', { status: 500, body: 'ñ'.repeat(10_000) })
    const { id } = only(await ofOrder(ref))
    const path = `/merchants/demo/deliveries/${id}`
    await shop.asMerchant('POST', `${path}/resend`)
    await shop.advance(0)
    const listed = only(await ofOrder(ref))
    expect(listed.attempts.map(({ response }) => response)).toEqual([null, 'ñ'.repeat(2048)])
    const shown = (await (await shop.asMerchant('GET', path)).json()) as Delivery
    expect(shown.attempts.map(({ response }) => response)).toEqual(['thank you', 'ñ'.repeat(8192)])
    const attempts = shown.attempts.map((attempt, n) => ({
      ...attempt,
      ...only([listed]).attempts[n],
    }))
    expect({ ...shown, attempts }).toEqual(listed)
  })

  it('cannot be shown by an unknown id', async () => {
    const answer = await shop.asMerchant('GET', '/merchants/demo/deliveries/x:1:ipn')
    expect(answer.status).toBe(404)
  })

  it.each(['limit=0', 'before=nothing', 'before=%00', 'state=lost'])(
    'with a wrong %s are a 400 that names the expected value',
    async (query) => {
      const answer = await shop.asMerchant('GET', `/merchants/demo/deliveries?${query}`)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({
        detail: expect.stringMatching(new RegExp(`^${query.split('=')[0]} is ".*", but must be `)),
      })
    },
  )
})

describe('the command line next to a running server', () => {
  const runDeliveries = (...options: readonly string[]) => plazo.run('deliveries', ...options)

  it('lists what the API lists', async () => {
    const ref = await placeDenied('cli-list', 500)
    const { stdout } = await runDeliveries('list', '--merchant', 'demo', '--order', ref, '--json')
    expect(JSON.parse(stdout)).toEqual(await ofOrder(ref))
    const { stdout: text } = await runDeliveries('list', '--merchant', 'demo', '--order', ref)
    expect(text).toMatch(
      /^ID\tEVENT\tSTATE\tDUE\tLAST ATTEMPT\n\S+:notice\tdenied\tpending\t\S+Z\tattempt 1 schedule \S+Z failed, 500: the shop did not accept it\n$/,
    )
    const none = await runDeliveries(
      'list',
      '--merchant',
      'demo',
      '--order',
      ref,
      '--state',
      'stuck',
    )
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'No deliveries found.\n' })
  })

  it('continues with older deliveries', async () => {
    const ref = await placeDenied('page-older', 200)
    const id = only(await ofOrder(ref)).id
    const newest = await runDeliveries('list', '--merchant', 'demo', '--limit', '1')
    expect(newest.stdout.split('\n')[1]?.split('\t')[0]).toBe(id)
    expect(newest.stderr).toBe(`For older ones: --before ${id}\n`)
    expect(await runDeliveries('list', '--merchant', 'demo', '--before', 'nothing')).toMatchObject({
      code: 1,
      stderr: '--before must be the id of a delivery of the merchant (got "nothing").\n',
    })
  })

  it('recovers a delivery, which the server finds at its next poll', async () => {
    await shop.advance(9 * 86_400)
    const since = await now()
    const ref = await placeDenied('cli-polled', 500)
    receiver.answer('/cli-polled/events', { status: 200 })
    const words = ['recover', '--merchant', 'demo', '--since', since, '--yes', '--json']
    expect(JSON.parse((await runDeliveries(...words)).stdout)).toEqual({ count: 1 })
    await vi.waitFor(async () => expect(only(await ofOrder(ref)).state).toBe('delivered'), {
      timeout: 10_000,
    })
    expect(only(await ofOrder(ref)).attempts.at(-1)).toMatchObject({ n: 2, trigger: 'recover' })
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
  it.each<[string, readonly string[]]>([
    ['--merchant is "nobody"', ['list', '--merchant', 'nobody']],
    [
      "'lost' is invalid. Allowed choices are pending, delivered",
      ['list', '--merchant', 'demo', '--state', 'lost'],
    ],
    ['--limit must be a whole number from 1 to', ['list', '--merchant', 'demo', '--limit', '0']],
    ['--since must be', ['recover', '--merchant', 'demo', '--since', 'yesterday']],
  ])('reports what is wrong: %s', async (line, options) => {
    const { code, stderr, stdout } = await runDeliveries(...options)
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(line)
  })
})

describe('an example', () => {
  const example = (body: unknown): Promise<Response> =>
    shop.asMerchant('POST', '/merchants/demo/deliveries/example', body)

  it.each(['cancel', 'cancelled', 'denied', 'risk_assessment', 'identification_action', 'ipn'])(
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
      if (event !== 'ipn') expect(request?.body).toContain(event)
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
    const unknown = { event: 'ipn', url: receiver.url, fault: 'none' }
    expect((await example(unknown)).status).toBe(400)
  })

  it('is rejected for a forbidden address and for an unknown event', async () => {
    const refused = await example({ event: 'denied', url: 'http://169.254.169.254/latest' })
    expect(refused.status).toBe(409)
    expect(refused.headers.get('content-type')).toContain('application/problem+json')
    expect((await example({ event: 'other', url: receiver.url })).status).toBe(400)
    expect((await example({ event: 'denied' })).status).toBe(400)
    expect((await example({ event: 'denied', url: 'no url' })).status).toBe(400)
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

  it('is not stored as a delivery', async () => {
    const count = (await listDeliveries('')).length
    await example({ event: 'denied', url: `${receiver.url}/example-nothing` })
    expect(await listDeliveries('')).toHaveLength(count)
  })
})

// `plazo listen` forwards a merchant's webhooks to a developer's machine, and its answer is the
// delivery's answer. Sandbox rules, Forwarding.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { verify } from '@plazo/adapters/http'
import type { DeliveryView } from '@plazo/core/protocol'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type Answer, startReceiver } from '../harness/receiver.ts'
import { DEMO } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt } from './stages.ts'

const CLI = fileURLToPath(new URL('../../packages/server/src/cli.ts', import.meta.url))

// Headers whose value differs in each request.
const ALWAYS_NEW = /^(?:webhook-|x-service-signature|content-length|host$)/

const { server, receiver, shop, stages } = await servedShop()

let children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children) await kill(child)
  children = []
})

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const listenWith = async (env: Readonly<Record<string, string>>, ...words: readonly string[]) => {
  const running = spawn(process.execPath, [CLI, 'listen', '--url', server.url, ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  children.push(running)
  let printed = ''
  for (const stream of [running.stdout, running.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk))
  let isClosed = false
  running.once('close', () => (isClosed = true))
  await waitUntil(() => printed.includes('Forwarding') || isClosed)
  return { running, printed: () => printed }
}

const listen = (...words: readonly string[]) => listenWith({}, ...words)

const local = (name: string) => [
  '--forward',
  `${receiver.url}/${name}/ipn`,
  '--events',
  `${receiver.url}/${name}/events`,
]

const ipnOf = async (orderRef: string): Promise<DeliveryView | undefined> => {
  const answer = await shop.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${orderRef}`)
  return ((await answer.json()) as readonly DeliveryView[]).find(({ event }) => event === 'ipn')
}

describe('plazo listen', () => {
  it('forwards a delivery byte for byte, and its answer is the delivery’s answer', async () => {
    const { printed } = await listen(...local('good'))
    receiver.answer('/good/ipn', { status: 202, body: 'thanks' })
    const orderRef = await stages.settled()
    const ipn = await ipnOf(orderRef)
    expect(ipn).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 202, response: 'thanks' }],
    })
    const [received] = receiver.received.filter(({ path }) => path === '/good/ipn')
    expect(received?.headers['webhook-id']).toBe(ipn?.id)
    expect(received?.headers['user-agent']).toMatch(/^Service/)
    expect(Object.keys(received?.headers ?? {})).not.toContain('sec-fetch-mode')
    expect(
      verify(DEMO.secret, received?.body ?? '', String(received?.headers['x-service-signature'])),
    ).toBe(true)
    await waitUntil(() => printed().includes(`202`) && printed().includes('thanks'))
  })

  it('sends the same headers as plazo itself', async () => {
    const { merchant } = addressesAt(receiver, 'direct')
    await stages.settled({}, { merchant })
    await listen(...local('listened'))
    await stages.settled({}, { merchant })
    const [direct, listened] = ['/direct/ipn', '/listened/ipn'].map((target) => {
      const headers = receiver.received.find(({ path }) => path === target)?.headers ?? {}
      return Object.entries(headers).map(([name, value]) =>
        ALWAYS_NEW.test(name) ? name : `${name}: ${value}`,
      )
    })
    expect(direct?.length).toBeGreaterThan(5)
    expect(listened).toEqual(direct)
  })

  it('is handed each delivery once: of two listeners, the newest gets it, and the other one if that ends', async () => {
    await listen(...local('older'))
    const newer = await listen(...local('newer'))
    const countOf = (name: string) =>
      receiver.received.filter(({ path }) => path.startsWith(`/${name}/`)).length
    await stages.settled()
    expect([countOf('older'), countOf('newer')]).toEqual([0, 1])
    await kill(newer.running)
    await waitUntil(async () => {
      await stages.settled()
      return countOf('older') > 0
    })
    expect(countOf('newer')).toBe(1)
  })

  it('leaves the schedule to plazo, and sends again what it is asked to', async () => {
    const { running } = await listen(...local('again'))
    receiver.answer('/again/ipn', { status: 503 })
    const orderRef = await stages.settled()
    expect(await ipnOf(orderRef)).toMatchObject({ state: 'pending', attempts: [{ status: 503 }] })
    receiver.answer('/again/ipn', { status: 200 })
    running.stdin?.write('r\n')
    await waitUntil(async () => (await ipnOf(orderRef))?.state === 'delivered')
    const { id = '' } = (await ipnOf(orderRef)) ?? {}
    running.stdin?.write(`r ${id}\n`)
    await waitUntil(async () => (await ipnOf(orderRef))?.attempts.length === 3)
  })

  it('that cannot reach the local server is an error of the attempt', async () => {
    await listen('--forward', 'http://127.0.0.1:9/ipn')
    expect(await ipnOf(await stages.settled())).toMatchObject({
      attempts: [{ error: 'connection_refused' }],
    })
  })

  it('that dies during a request is an error of the attempt, and deliveries go to their URL again', async () => {
    const { running } = await listen(...local('dying'))
    receiver.answer('/dying/ipn', () => {
      running.kill('SIGKILL')
      return null
    })
    const orderRef = await stages.settled()
    await waitUntil(async () => (await ipnOf(orderRef))?.attempts[0]?.outcome === 'error')
    expect(await ipnOf(orderRef)).toMatchObject({ attempts: [{ error: 'connection_reset' }] })
    await shop.advance(60)
    expect(await ipnOf(orderRef)).toMatchObject({ state: 'delivered' })
  })

  describe('on a server that stops and starts', async () => {
    const restarting = await startReceiver()
    afterAll(() => restarting.close())
    restarting.answer('/merchants/demo/credentials', { status: 200 })

    /** Answers one request for the stream after the other like this, and the last one for ever. */
    const streamLike = (answers: readonly Answer[]): void => {
      const answersLeft = [...answers]
      restarting.answer('/sandbox/listen', (request, response) => {
        const [answer] = answersLeft.length > 1 ? answersLeft.splice(0, 1) : answersLeft
        return typeof answer === 'function' ? answer(request, response) : (answer ?? null)
      })
    }
    const streams = () =>
      restarting.received.filter(({ path }) => path === '/sandbox/listen').length
    const unavailable: Answer = { status: 503, body: 'starting' }
    const lost: Answer = (_, response) => {
      response.writeHead(200).write(': connected\n\n', () => response.destroy())
      return null
    }

    it('connects again after a lost stream and after each 503, and forwards what comes then', async () => {
      const body = 'event=denied'
      restarting.answer('/sandbox/listen/7', ({ body: answer }) => ({
        status: 200,
        body:
          answer === ''
            ? JSON.stringify({ event: 'denied', endpoint: 'events', headers: {}, body })
            : '',
      }))
      streamLike([
        lost,
        unavailable,
        unavailable,
        (_, response) => {
          response.writeHead(200).write('id: 7\n\n')
          return null
        },
      ])
      const { running, printed } = await listen('--url', restarting.url, ...local('restarted'))
      const answers = () =>
        restarting.received.filter(
          ({ path, body: content }) => path === '/sandbox/listen/7' && content !== '',
        )
      await waitUntil(() => answers().length > 0)
      expect(answers().map(({ body: content }) => JSON.parse(content))).toMatchObject([
        { status: 200 },
      ])
      expect(
        receiver.received
          .filter(({ path }) => path === '/restarted/events')
          .map((each) => each.body),
      ).toEqual([body])
      expect(streams()).toBe(4)
      expect(
        printed().match(/The connection to the server was lost\. Connecting again\./g),
      ).toHaveLength(3)
      expect(printed().match(/Forwarding IPNs of demo/g)).toHaveLength(2)
      expect(running.exitCode).toBeNull()
    })

    it.each([
      ['before it was ever connected', 'starting', [unavailable]],
      ['if it is refused later', 'no', [lost, unavailable, { status: 401, body: 'no' }]],
    ] as const)('ends with the server’s answer %s', async (_, reason, answers) => {
      streamLike(answers)
      const { running, printed } = await listen('--url', restarting.url, ...local('restarted'))
      await waitUntil(() => running.exitCode !== null)
      expect([running.exitCode, printed()]).toEqual([
        1,
        expect.stringMatching(new RegExp(`The server answered \\d+: ${reason}\n$`)),
      ])
    })
  })

  it('needs the merchant’s password, and a sandbox', async () => {
    const { running, printed } = await listen(...local('none'), '--password', 'wrong')
    expect(running.exitCode).toBe(1)
    expect(printed()).toContain('401')
    const production = await listenWith({ MODE: 'production' }, ...local('none'))
    expect(production.running.exitCode).toBe(1)
    expect(production.printed()).toBe(
      '`plazo listen` exists only in a sandbox, but MODE is production.\n',
    )
  })

  it('prints what a server says, but a terminal does not obey it', async () => {
    receiver.answer('/hostile/ipn', { status: 200, body: '\u001b[2Jgone' })
    const { printed } = await listen(...local('hostile'))
    await stages.settled()
    await waitUntil(() => printed().includes('\\u001b[2Jgone'))
    expect(printed()).not.toContain('\u001b')
  })
})

describe('GET /sandbox/listen', () => {
  it('connects nobody for a HEAD', async () => {
    expect((await shop.asMerchant('HEAD', '/sandbox/listen')).status).toBe(200)
    expect(await ipnOf(await stages.settled())).toMatchObject({ state: 'delivered' })
  })
})

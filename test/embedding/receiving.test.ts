// Runs the programs of the receiving guide unchanged, and sends them requests with plazo's own
// sender.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { addressGuard, merchantGateway } from '@plazo/adapters/http'
import {
  actionEventBody,
  classifyCancelResponse,
  FORM_CONTENT_TYPE,
  ipnBody,
  type LifecycleEvent,
  lifecycleEventBody,
  wireNames,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, describe, expect, it } from 'vitest'
import { rawClient } from '../harness/raw-http.ts'

const guide = fileURLToPath(new URL('../../docs/receiving.md', import.meta.url))
const folder = fileURLToPath(new URL('./generated', import.meta.url))

const programs = [...readFileSync(guide, 'utf8').matchAll(/```[jt]s\n([\s\S]*?)```/g)].map(
  ([, program = '']) => program,
)

const SECRET = '0123456789abcdef0123456789abcdef'
const FORMER = 'fedcba9876543210fedcba9876543210'
const CANCEL: LifecycleEvent = {
  event: 'cancel',
  cancellationRequestUrl: 'https://pay.example/console',
}

// What the first shop prints of any webhook.
const EXCHANGE = /^POST |^ {2}response: /

/**
 * Runs a program of the guide until `stop`. `line` waits for the next line that it prints, `said`
 * for the next of a handler.
 */
const startProgram = async (name: string, program: string) => {
  const file = `${folder}/${name}`
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, program)
  const child: ChildProcess = spawn(process.execPath, [file], {
    env: { ...process.env, PORT: '0', SIGNATURE_SECRETS: `${SECRET},${FORMER}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  if (child.stdout === null) throw new Error('The program has no output.')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const line = async (): Promise<string> => (await lines.next()).value ?? 'nothing more'
  const readLine = async (): Promise<string> => {
    for (;;) {
      const next = await line()
      if (!EXCHANGE.test(next)) return next
    }
  }
  const stop = async () => {
    child.kill()
    await ended
    rmSync(file, { force: true })
  }
  return { url: await line(), line, said: readLine, stop }
}

const sender = (secrets: readonly string[], realNow: () => number = Date.now) => {
  const gateway = merchantGateway({
    names: wireNames('Service', 'sq_state'),
    secretsOf: () => TE.right(secrets),
    realNow,
    guard: addressGuard({ allowsLocal: true, allow: [] }),
  })
  let count = 0
  const post = async (
    url: string,
    body: string,
    id = `id-${++count}`,
    contentType = FORM_CONTENT_TYPE,
  ) => {
    const result = await gateway.post({
      url,
      body,
      contentType,
      id,
      merchantRef: 'shop',
      readsBody: true,
    })()
    if (E.isLeft(result)) throw new Error(result.left.message)
    return result.right
  }
  return { post, close: gateway.close }
}

const breakOff = (port: number, bytes: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, 'localhost', () => socket.write(bytes, () => socket.destroy()))
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })

const about = (event: LifecycleEvent, first = 'A-1'): string =>
  lifecycleEventBody(event, 'ref', { first, second: '' }, { shop: '7' })
const ipnAbout = (first: string): string =>
  ipnBody({
    orderRef: 'ref',
    references: { first, second: '' },
    productCode: 'pp3',
    stateParameter: 'sq_state',
    state: 'approved',
    sinceSeconds: 3,
    notificationParameters: { basket: '9' },
  })

it('the guide has two shops, and a test of one that prints the answers', async () => {
  expect(programs).toHaveLength(3)
  const { url: printed, stop } = await startProgram('receiving-test.ts', programs[2] ?? '')
  await stop()
  expect(printed).toBe('200')
})

describe('the shop in Hono of docs/receiving.md', async () => {
  const service = sender([SECRET])
  const shop = await startProgram('receiving-hono.mjs', programs[0] ?? '')
  afterAll(() => {
    service.close()
    return shop.stop()
  })

  it('accepts any order, and prints its IPN and the response', async () => {
    for (const first of ['A-1', 'B-1', '']) {
      expect(await service.post(shop.url, ipnAbout(first))).toMatchObject({ status: 200, body: '' })
      expect(await shop.line()).toBe(`POST ${ipnAbout(first)}`)
      expect(await shop.line()).toBe('  response: 200 (empty)')
    }
  })

  it('answers a cancel according to the state of the parcel, in the service’s format', async () => {
    const verdicts = []
    for (const first of ['A-1', 'A-2', 'A-3']) {
      verdicts.push(classifyCancelResponse(await service.post(shop.url, about(CANCEL, first))))
      expect(await shop.said()).toBe(`Asked to cancel "${first}", see https://pay.example/console`)
    }
    expect(verdicts).toEqual([
      { result: 'cancelled' },
      { result: 'retry', retryInMinutes: 60 },
      { result: 'toolate', lateByMinutes: 90 },
    ])
  })

  it('receives the other events and handles each once, even if it is sent repeatedly', async () => {
    const action = actionEventBody(
      { action: 'wait_for_on_hold' },
      'ref',
      { first: 'A-1', second: '' },
      {},
    )
    const risk: LifecycleEvent = { event: 'risk_assessment', riskLevel: 'under_evaluation' }
    const results = [
      await service.post(shop.url, about({ event: 'denied' }), 'denied'),
      await service.post(shop.url, about({ event: 'denied' }), 'denied'),
      await service.post(shop.url, about({ event: 'cancelled' })),
      await service.post(shop.url, about(risk)),
      await service.post(shop.url, action, 'action', 'application/json'),
    ]
    expect(results.map(({ status, body }) => [status, body])).toEqual(results.map(() => [200, '']))
    expect([await shop.said(), await shop.said(), await shop.said(), await shop.said()]).toEqual([
      'ref of shop 7 was denied',
      'ref was rejected on hold',
      'ref is under_evaluation',
      'ref is at wait_for_on_hold',
    ])
  })
})

describe('the shop of docs/receiving.md that uses only node:http', async () => {
  const service = sender([SECRET])
  const shop = await startProgram('receiving-node.ts', programs[1] ?? '')
  afterAll(() => {
    service.close()
    return shop.stop()
  })

  it('accepts an order, and reads the IPN’s parameters', async () => {
    expect(await service.post(shop.url, ipnAbout('A-1'))).toMatchObject({ status: 200, body: '' })
    expect(await shop.line()).toBe('A-1 approved since 3 s, basket 9')
  })

  it('answers that it does not support cancel, in the service’s format', async () => {
    const result = await service.post(shop.url, about(CANCEL))
    expect(result).toMatchObject({ status: 501, body: '{"error":"Unknown event: cancel"}' })
    expect(classifyCancelResponse(result)).toEqual({ result: 'unsupported' })
  })

  it('answers 413 to a body that is too large, and keeps running', async () => {
    // One byte too many: closing a connection with unread data may lose the response.
    const size = 4 * 1024 * 1024 + 1
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
    const whole = `${head}${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`
    expect((await rawClient(shop.url)([whole], { answers: 1, patience: 60_000 })).statuses).toEqual(
      [413],
    )
    expect((await fetch(shop.url)).status).toBe(405)
  })

  it('survives clients that disconnect, and methods that Request does not allow', async () => {
    const { port } = new URL(shop.url)
    const head = 'Host: localhost\r\nConnection: close\r\n'
    const size = 8 * 1024 * 1024
    for (const bytes of [
      `POST / HTTP/1.1\r\n${head}Content-Length: 20\r\n\r\nevent`,
      `POST / HTTP/1.1\r\n${head}Content-Length: ${size}\r\n\r\n${'x'.repeat(100_000)}`,
      `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${'x'.repeat(5_000_000)}`,
      `TRACE / HTTP/1.1\r\n${head}\r\n`,
    ])
      await breakOff(Number(port), bytes)
    expect((await fetch(shop.url)).status).toBe(405)
  })
})

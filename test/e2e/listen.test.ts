// `plazo listen` forwards a merchant's webhooks to a developer's machine, and its answer is the delivery's answer. Contract §8,
// Forwarding.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { verify } from '@plazo/adapters/http'
import type { DeliveryView } from '@plazo/core'
import { afterEach, describe, expect, it } from 'vitest'
import { DEMO } from '../harness/shop.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { servedShop } from './served-shop.ts'

const CLI = fileURLToPath(new URL('../../packages/server/src/cli.ts', import.meta.url))

const { server, receiver, shop, stages } = await servedShop()

let child: ChildProcess | undefined
afterEach(async () => {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
})

const listen = async (...words: readonly string[]) => {
  const running = spawn(process.execPath, [CLI, 'listen', '--url', server.url, ...words], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child = running
  let printed = ''
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk))
  await waitUntil(() => printed.includes('Forwarding') || running.exitCode !== null)
  return { running, printed: () => printed }
}

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
    expect(ipn).toMatchObject({ state: 'delivered', attempts: [{ status: 202, response: 'thanks' }] })
    const [received] = receiver.received.filter(({ path }) => path === '/good/ipn')
    expect(received?.headers['webhook-id']).toBe(ipn?.id)
    expect(received?.headers['user-agent']).toMatch(/^Service/)
    expect(Object.keys(received?.headers ?? {})).not.toContain('sec-fetch-mode')
    expect(verify(DEMO.secret, received?.body ?? '', String(received?.headers['x-service-signature']))).toBe(true)
    await waitUntil(() => printed().includes(`202`) && printed().includes('thanks'))
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
    expect(await ipnOf(await stages.settled())).toMatchObject({ attempts: [{ error: 'connection_refused' }] })
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

  it('needs the merchant’s password, and a sandbox', async () => {
    const { running, printed } = await listen(...local('none'), '--password', 'wrong')
    expect(running.exitCode).toBe(1)
    expect(printed()).toContain('401')
  })
})

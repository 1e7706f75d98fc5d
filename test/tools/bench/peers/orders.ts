// Runs whole orders on the peers: each is started and receives six submissions over HTTP. Each
// answer comes after it is durable.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../harness/ports-and-folders.ts'
import { orderBody, PERSON } from '../../../harness/shop.ts'
import { merchantAt, type Running, startProcess, startProgram } from '../processes.ts'
import type { Journey } from '../shoppers.ts'
import type { Stores } from '../stores.ts'
import { type Answer, request } from '../wire.ts'
import { STEPS, WITH_REQUEST } from './checkout.ts'
import { programOf } from './install.ts'

export type OrderHost = {
  readonly ports: readonly number[]
  readonly journey: Journey
  /** How many events its merchant has received. */
  readonly eventCount: () => Promise<number>
  readonly stop: () => Promise<unknown>
}

const right = ({ status, body }: Answer): void => {
  if (status !== 200 && status !== 202) throw new Error(`A peer answered ${status}: ${body}`)
}

const person = JSON.stringify(PERSON)
const placed = JSON.stringify(orderBody())

/** `asks`: also run as many durable steps as plazo's order has effects. */
type Peer = (stores: Stores, sink: Running, asks: boolean) => Promise<OrderHost>

const requestStep = (asks: boolean): readonly string[] => (asks ? [WITH_REQUEST] : [])

export const startDbos: Peer = async (stores, sink, asks) => {
  const { url, eventCount } = merchantAt(sink)
  const database = await (await stores.postgres()).database()
  const { port, stop } = await startProcess(
    './peers/dbos-server.ts',
    [database, url, ...requestStep(asks)],
    'ignore',
  )
  const journey: Journey = async (ask) => {
    const ref = randomUUID()
    right(await ask(request('POST', `/orders/${ref}`, placed)))
    for (let step = 1; step <= STEPS; step++)
      right(await ask(request('POST', `/orders/${ref}/${step}`, person)))
  }
  return { ports: [port], journey, eventCount, stop }
}

const PARTITIONS = '4'

export const startRestate: Peer = async (stores, sink, asks) => {
  const { url, eventCount } = merchantAt(sink)
  const base = mkdtempSync(join(stores.folder, 'restate-'))
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()])
  const endpoint = await startProcess(
    './peers/restate-endpoint.ts',
    [url, ...requestStep(asks)],
    'ignore',
  )
  const server = await startProgram(
    programOf('restate-server'),
    [
      '--no-logo',
      '--listen-mode',
      'tcp',
      '--bind-ip',
      '127.0.0.1',
      '--bind-port',
      String(node),
      '--base-dir',
      base,
    ],
    {
      RESTATE_DEFAULT_NUM_PARTITIONS: PARTITIONS,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_LOG_FILTER: 'error',
      DO_NOT_TRACK: '1',
    },
    `http://127.0.0.1:${admin}/health`,
  )
  const registered = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${endpoint.port}` }),
  })
  if (!registered.ok) throw new Error(`Restate registers nothing: ${await registered.text()}`)
  await registered.text()
  const journey: Journey = async (ask) => {
    const ref = randomUUID()
    right(await ask(request('POST', `/checkout/${ref}/place`, placed)))
    for (let step = 1; step <= STEPS; step++)
      right(await ask(request('POST', `/checkout/${ref}/submit`, person)))
  }
  return {
    ports: [ingress],
    journey,
    eventCount,
    stop: async () => {
      await server.stop()
      await endpoint.stop()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

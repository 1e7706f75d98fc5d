// Runs whole orders on the peers: each is started and receives six submissions over HTTP. Each
// answer comes after it is durable.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRestateServers } from '../../../harness/restate.ts'
import { orderBody, PERSON } from '../../../harness/shop.ts'
import { merchantAt, type Running, startProcess } from '../processes.ts'
import type { Journey } from '../shoppers.ts'
import type { Stores } from '../stores.ts'
import { type Answer, request } from '../wire.ts'
import { STEPS } from './checkout.ts'

export type OrderHost = {
  readonly port: number
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

export const startDbos = async (stores: Stores, sink: Running): Promise<OrderHost> => {
  const { url, eventCount } = merchantAt(sink)
  const database = await stores.fresh('postgres')
  const { port, stop } = await startProcess('./peers/dbos-server.ts', [database, url], 'ignore')
  const journey: Journey = async (ask) => {
    const ref = randomUUID()
    right(await ask(request('POST', `/orders/${ref}`, placed)))
    for (let step = 1; step <= STEPS; step++)
      right(await ask(request('POST', `/orders/${ref}/${step}`, person)))
  }
  return { port, journey, eventCount, stop }
}

export const startRestate = async (sink: Running): Promise<OrderHost> => {
  const { url, eventCount } = merchantAt(sink)
  const base = mkdtempSync(join(tmpdir(), 'plazo-bench-restate-'))
  const endpoint = await startProcess('./peers/restate-endpoint.ts', [url], 'ignore')
  const cluster = await startRestateServers(base)
  await cluster.register(`http://127.0.0.1:${endpoint.port}`)
  const journey: Journey = async (ask) => {
    const ref = randomUUID()
    right(await ask(request('POST', `/checkout/${ref}/place`, placed)))
    for (let step = 1; step <= STEPS; step++)
      right(await ask(request('POST', `/checkout/${ref}/submit`, person)))
  }
  return {
    port: Number(new URL(cluster.nodes[0].url).port),
    journey,
    eventCount,
    stop: async () => {
      await cluster.stop()
      await endpoint.stop()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

// Measures durable deliveries per second from pending events to a local sink. The peers are a job
// queue that does the same, and a bare client that posts the same bodies without a store.

import { startDispatcher } from '@plazo/adapters/host'
import { threadedGateway } from '@plazo/adapters/http'
import { memoryRecords } from '@plazo/adapters/memory'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import { systemClock } from '@plazo/adapters/system'
import { completeJob, executeEffect, type Host, wireNames } from '@plazo/core'
import type { MerchantGateway } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { DEMO } from '../../harness/shop.ts'
import { nodeHttp } from './clients.ts'
import { fill, hostOn, MERCHANTS } from './fill.ts'
import { type OpenedStore, openStoreAt } from './open-store.ts'
import { pendingJobs } from './peers/graphile.ts'
import { installPeers } from './peers/install.ts'
import { startSink } from './processes.ts'
import { type Contender, inRounds, type Part, type PartOptions, type Sample } from './rounds.ts'
import { called } from './stores.ts'

const EVENTS = { full: 20_000, small: 100 } as const
const IN_FLIGHT = 64

const names = wireNames('Service', 'sq_state')

// A claim that is in progress when the last delivery ends is answered before the store is closed.
const PATIENCE = 5_000

/** `run` may resolve to remaining work, which is not measured. */
const measureTime = async (
  events: number,
  run: () => Promise<void | (() => Promise<void>)>,
): Promise<Sample> => {
  const startedAt = performance.now()
  const rest = await run()
  const seconds = (performance.now() - startedAt) / 1000
  await rest?.()
  return { deliveriesPerSecond: events / seconds }
}

const drain = (
  { store }: OpenedStore,
  host: Host,
  gateway: MerchantGateway,
  events: number,
  say: (line: string) => void,
): Promise<() => Promise<void>> =>
  new Promise((resolve) => {
    let done = 0
    const dispatcher = startDispatcher({
      store,
      clock: systemClock,
      executeEffect: executeEffect(
        { providers: sandboxProviders(memoryRecords()), gateway, clock: systemClock },
        0,
      ),
      complete: completeJob(host),
      // Deliveries only: the SMS jobs stay pending. The accounts have no limit of their own, because
      // the peers have none.
      limits: { deliveries: IN_FLIGHT, internal: 0, perAccount: IN_FLIGHT },
      onCompleted: () => {
        done += 1
        if (done === events) resolve(() => dispatcher.stop(PATIENCE))
      },
      onFailure: (reason) => say(reason.message),
    })
  })

const atOnce = async (events: number, send: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < events) await send(next++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}

const GRAPHILE = 'graphile-worker'
const LIMIT = 'node:http, no store'

const measure = async (options: PartOptions) => {
  const { stores, on, peers, size, say } = options
  const events = EVENTS[size]
  const sink = await startSink()
  const url = `http://127.0.0.1:${sink.port}/events`
  // As in the server: a single gateway with its thread.
  const gateway = threadedGateway({
    names,
    secretsOf: () => TE.right([DEMO.secret]),
    realNow: () => Date.now(),
    guard: { allowsLocal: true, allow: [] },
  })
  const contenders: Record<string, Contender> = {}
  for (const store of on)
    contenders[`plazo on ${called[store]}`] = {
      to: [GRAPHILE, LIMIT],
      measure: async () => {
        const home = await openStoreAt(await stores.fresh(store))
        try {
          const host = hostOn(home)
          await fill(host, url, events)
          return await measureTime(events, () => drain(home, host, gateway, events, say))
        } finally {
          await home.close()
        }
      },
    }
  if (peers) {
    installPeers()
    contenders[GRAPHILE] = {
      measure: async () => {
        const run = await pendingJobs(await stores.fresh('postgres'), events, IN_FLIGHT)
        const { send, close } = nodeHttp(sink.port, IN_FLIGHT)
        return measureTime(events, () => run(send)).finally(close)
      },
    }
  }
  contenders[LIMIT] = {
    measure: () => {
      const { send, close } = nodeHttp(sink.port, IN_FLIGHT)
      return measureTime(events, () => atOnce(events, send)).finally(close)
    },
  }
  try {
    return await inRounds(contenders, options)
  } finally {
    gateway.close()
    await sink.stop()
  }
}

export const deliveries: Part = {
  about: `durable deliveries a second, ${IN_FLIGHT} in flight to ${MERCHANTS} merchants, next to a job queue and a bare client`,
  measure,
}

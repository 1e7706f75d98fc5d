// Measures whole orders per second over HTTP at 50 connections, next to peers with the same order.
// An order counts when it is finished and the merchant has its event.
import { setTimeout as sleep } from 'node:timers/promises'
import { installPeers } from './peers/install.ts'
import { type OrderHost, startDbos, startRestate } from './peers/orders.ts'
import { startPlazo } from './plazo.ts'
import { plazoOrder } from './plazo-orders.ts'
import { merchantAt, type Running, startSink } from './processes.ts'
import { type Contender, inRounds, type Part, type PartOptions, type Sample } from './rounds.ts'
import { crowd } from './shoppers.ts'
import { called } from './stores.ts'

export const CONNECTIONS = 50

/** Milliseconds. The first round's warm-up also lets the compiler finish. */
const TIMES = {
  full: { firstWarm: 8000, warm: 3000, measured: 8000, eventCount: 1, openMax: 6000 },
  small: { firstWarm: 0, warm: 0, measured: 0, eventCount: 10, openMax: 20 },
} as const

const BETWEEN_LOOKS = 50

/** There is only one merchant, which may use the whole concurrency. */
const plazoHost = async (databaseUrl: string, sink: Running): Promise<OrderHost> => {
  const merchant = merchantAt(sink)
  const { port, stop } = await startPlazo(databaseUrl, { WEBHOOK_PER_MERCHANT: '64' })
  return { port, journey: plazoOrder(merchant.url), eventCount: merchant.eventCount, stop }
}

/** A contender that measures whole orders at a host, after a warm-up that is longer at first. */
const orderContender = (
  { port, journey, eventCount }: OrderHost,
  size: PartOptions['size'],
  openMax: number = TIMES[size].openMax,
  to: readonly string[] = [],
): Contender => {
  const times = TIMES[size]
  let warm: number = times.firstWarm
  const measure = async (): Promise<Sample> => {
    const load = { port, journey, connections: CONNECTIONS, openMax }
    const { observation, seconds, ...watched } = await crowd(load, warm, async () => {
      const before = await eventCount()
      await sleep(times.measured)
      let after = await eventCount()
      while (after - before < times.eventCount) {
        await sleep(BETWEEN_LOOKS)
        after = await eventCount()
      }
      return after - before
    })
    warm = times.warm
    // The slower of the two: finished shoppers, or events received by the merchant.
    const ordersPerSecond = Math.min(watched.ordersPerSecond, observation / seconds)
    return { ...watched, ordersPerSecond }
  }
  return { measure, to }
}

/** Measures plazo on these databases, next to other hosts. `to`: whom each is compared with. */
export const measureOrders = async (
  options: PartOptions,
  databases: Readonly<Record<string, string>>,
  to: readonly string[],
  startOthers: (sink: Running) => Promise<Readonly<Record<string, OrderHost>>> = async () => ({}),
) => {
  const { size } = options
  const sink = await startSink()
  const stops: (() => Promise<unknown>)[] = [sink.stop]
  const contenders: Record<string, Contender> = {}
  try {
    for (const [name, url] of Object.entries(databases)) {
      const host = await plazoHost(url, sink)
      stops.unshift(host.stop)
      contenders[name] = orderContender(host, size, TIMES[size].openMax, to)
    }
    for (const [name, host] of Object.entries(await startOthers(sink))) {
      stops.unshift(host.stop)
      contenders[name] = orderContender(host, size, CONNECTIONS)
    }
    return await inRounds(contenders, options)
  } finally {
    for (const stop of stops) await stop()
  }
}

const DBOS = 'DBOS Transact'
const RESTATE = 'Restate'

const measure = async (options: PartOptions) => {
  const { stores, on, peers } = options
  const databases: Record<string, string> = {}
  for (const store of on) databases[`plazo on ${called[store]}`] = await stores.fresh(store)
  return measureOrders(options, databases, [DBOS, RESTATE], async (sink) => {
    if (!peers) return {}
    installPeers()
    return { [DBOS]: await startDbos(stores, sink), [RESTATE]: await startRestate(sink) }
  })
}

export const orders: Part = {
  about:
    'whole orders a second: placed, six requests that write, the polls between them, and an event to the merchant',
  measure,
}

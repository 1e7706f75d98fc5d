// Measures whole orders per second over HTTP at 50 connections, next to peers with the same order.
// An order counts when it is finished and the merchant has its event. Flushes of the block device
// are counted too.
import { flushesUnder } from './flushes.ts'
import { installPeers } from './peers/install.ts'
import { type OrderHost, startDbos, startRestate } from './peers/orders.ts'
import { type MeasuredServer, startPlazo } from './plazo.ts'
import { plazoOrder, plazoOrderWithIpn } from './plazo-orders.ts'
import { merchantAt, type Running, startSink } from './processes.ts'
import { inRounds, type Part, type PartOptions, type PartResult, type Sample } from './rounds.ts'
import { crowd } from './shoppers.ts'
import { called } from './stores.ts'

export const CONNECTIONS = 50

/** Milliseconds. The first round's warm-up also lets the compiler finish. */
export const TIMES = {
  full: { firstWarm: 8000, warm: 3000, measured: 8000, eventCount: 1, openMax: 6000 },
  small: { firstWarm: 0, warm: 0, measured: 0, eventCount: 10, openMax: 20 },
} as const

const BETWEEN_LOOKS = 50

/** Starts one node per URL. There is only one merchant, which may use the whole concurrency. */
export const plazoHost = async (
  databaseUrls: readonly string[],
  sink: Running,
  order: typeof plazoOrder = plazoOrder,
): Promise<OrderHost> => {
  const merchant = merchantAt(sink)
  const nodes: MeasuredServer[] = []
  for (const url of databaseUrls) nodes.push(await startPlazo(url, { WEBHOOK_PER_MERCHANT: '64' }))
  return {
    ports: nodes.map(({ port }) => port),
    journey: order(merchant.url),
    eventCount: merchant.eventCount,
    stop: () => Promise.all(nodes.map(({ stop }) => stop())),
  }
}

const sleep = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

/** `measured`: milliseconds, or longer until the merchant has received `eventCount` events. */
type Times = { readonly measured: number; readonly eventCount: number; readonly openMax: number }

/** Measures whole orders at a host after its warm-up. */
export const watchOrders = async (
  { ports, journey, eventCount }: OrderHost,
  folder: string,
  warm: number,
  times: Times,
): Promise<Sample> => {
  const flushes = flushesUnder(folder)
  const counts = async () => ({ eventCount: await eventCount(), flushes: flushes?.() ?? 0 })
  const watched = await crowd(
    { ports, journey, connections: CONNECTIONS, openMax: times.openMax },
    warm,
    async () => {
      const before = await counts()
      await sleep(times.measured)
      let after = await counts()
      while (after.eventCount - before.eventCount < times.eventCount) {
        await sleep(BETWEEN_LOOKS)
        after = await counts()
      }
      return {
        eventCount: after.eventCount - before.eventCount,
        flushes: after.flushes - before.flushes,
      }
    },
  )
  const { observation, seconds } = watched
  return {
    // The slower of the two: finished shoppers, or events received by the merchant.
    ordersPerSecond: Math.min(watched.ordersPerSecond, observation.eventCount / seconds),
    answersPerSecond: watched.answersPerSecond,
    p50: watched.p50,
    p99: watched.p99,
    ...(flushes && { answersPerFlush: watched.written / Math.max(1, observation.flushes) }),
  }
}

const measure = async ({
  stores,
  on,
  peers,
  rounds,
  size,
  say,
}: PartOptions): Promise<PartResult> => {
  const times = TIMES[size]
  const sink = await startSink()
  const hosts: OrderHost[] = []
  const contenders: Record<string, () => Promise<Sample>> = {}
  const enter = (name: string, host: OrderHost, openMax: number): void => {
    hosts.push(host)
    let warm: number = times.firstWarm
    contenders[name] = async () => {
      const sample = await watchOrders(host, stores.folder, warm, { ...times, openMax })
      warm = times.warm
      return sample
    }
  }
  try {
    for (const store of on)
      enter(
        `plazo on ${called[store]}`,
        await plazoHost([await stores.fresh(store)], sink),
        times.openMax,
      )
    if (peers) {
      installPeers()
      for (const asks of [false, true]) {
        const labelOf = (peer: string): string => (asks ? `${peer}, asking others` : peer)
        enter(labelOf('DBOS Transact'), await startDbos(stores, sink, asks), CONNECTIONS)
        enter(labelOf('Restate'), await startRestate(stores, sink, asks), CONNECTIONS)
      }
    }
    if (on.includes('sqlite')) {
      const host = await plazoHost([await stores.fresh('sqlite')], sink, plazoOrderWithIpn)
      enter('plazo on SQLite, with an IPN', host, times.openMax)
    }
    return await inRounds(contenders, { rounds, size, say })
  } finally {
    for (const { stop } of hosts) await stop()
    await sink.stop()
  }
}

export const orders: Part = {
  name: 'orders',
  about:
    'whole orders a second: placed, six requests that write, the polls between them, and an event to the merchant',
  measure,
}

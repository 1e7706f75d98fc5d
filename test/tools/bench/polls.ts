// Measures polls per second, the most frequent request of a waiting frontend. plazo answers from
// cached orders. The limit is a bare Hono handler that answers a constant.

import { type Load, run } from './load.ts'
import { startPlazo } from './plazo.ts'
import { openOrders, poll } from './plazo-orders.ts'
import { startProcess } from './processes.ts'
import { inRounds, type Part, type PartOptions, type PartResult, type Sample } from './rounds.ts'
import { called } from './stores.ts'

const CONNECTIONS = 50
const SIZES = { full: { orders: 1000, polls: 20_000 }, small: { orders: 10, polls: 100 } } as const

const sampleOf = (load: Load): Sample => {
  if (load.statuses.size !== 1 || !load.statuses.has(200))
    throw new Error(`Polls were answered ${JSON.stringify([...load.statuses])}`)
  return { pollsPerSecond: load.perSecond, p50: load.p50, p99: load.p99 }
}

const measure = async ({ stores, on, rounds, size, say }: PartOptions): Promise<PartResult> => {
  const { orders, polls } = SIZES[size]
  const stops: (() => Promise<unknown>)[] = []
  const contenders: Record<string, () => Promise<Sample>> = {}
  const enter = (name: string, port: number, refs: readonly string[]): void => {
    const requests = Array.from({ length: polls }, (_, index) =>
      poll(refs[index % refs.length] ?? ''),
    )
    contenders[name] = async () => sampleOf(await run(port, requests, CONNECTIONS))
  }
  try {
    for (const store of on) {
      const { port, stop } = await startPlazo(await stores.fresh(store))
      stops.push(stop)
      enter(`plazo on ${called[store]}`, port, await openOrders(port, orders, CONNECTIONS))
    }
    const bare = await startProcess('./constant-server.ts')
    stops.push(bare.stop)
    enter('bare Hono, a constant', bare.port, ['c6a7ed8e-3c7a-4a7e-9f54-93c1a7c4f5d1'])
    // A first run, so that compilation counts for no round.
    for (const once of Object.values(contenders)) await once()
    return await inRounds(contenders, { rounds, size, say })
  } finally {
    for (const stop of stops) await stop()
  }
}

export const polls: Part = {
  name: 'polls',
  about: 'requests a second to the wait endpoint, next to a bare handler that answers a constant',
  measure,
}

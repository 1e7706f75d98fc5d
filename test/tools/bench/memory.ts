// Measures the memory of a server with many open orders, each placed, identified and waiting for
// its code.
import { residentBytes } from '../../harness/running-server.ts'
import { startPlazo, waitUntilDrained } from './plazo.ts'
import { openOrders } from './plazo-orders.ts'
import type { Part, PartOptions, PartResult, Sample } from './rounds.ts'
import { called } from './stores.ts'

const CONNECTIONS = 50
const ORDERS = { full: 100_000, small: 500 } as const
const TOGETHER = 10_000

const megabytesOf = (pid: number): number => residentBytes(pid) / 2 ** 20

const measure = async ({ stores, on, size, say }: PartOptions): Promise<PartResult> => {
  const round: Record<string, Sample> = {}
  for (const store of on) {
    const { port, pid, stop } = await startPlazo(await stores.fresh(store))
    try {
      const idleMegabytes = megabytesOf(pid)
      for (let count = 0; count < ORDERS[size]; count += TOGETHER)
        await openOrders(port, Math.min(TOGETHER, ORDERS[size] - count), CONNECTIONS).then(() =>
          waitUntilDrained(port),
        )
      const openMegabytes = megabytesOf(pid)
      const kilobytesPerOrder = (1024 * (openMegabytes - idleMegabytes)) / ORDERS[size]
      const sample = { idleMegabytes, openMegabytes, openOrders: ORDERS[size], kilobytesPerOrder }
      round[`plazo on ${called[store]}`] = sample
      say(`  plazo on ${called[store]}  ${JSON.stringify(sample)}`)
    } finally {
      await stop()
    }
  }
  return { rounds: [round], dropped: 0 }
}

export const memory: Part = {
  name: 'memory',
  about: 'resident memory of a server with 100,000 orders open',
  measure,
}

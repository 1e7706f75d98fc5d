// Measures whole orders per second with one, two and three nodes on one PostgreSQL. The connections
// are distributed among the nodes.
import { CONNECTIONS, plazoHost, TIMES, watchOrders } from './orders.ts'
import { startSink } from './processes.ts'
import { inRounds, type Part, type PartOptions, type PartResult, type Sample } from './rounds.ts'

const NODES = [1, 2, 3] as const

const measure = async ({ stores, on, rounds, size, say }: PartOptions): Promise<PartResult> => {
  if (!on.includes('postgres')) return { rounds: [], dropped: 0 }
  const { warm, firstWarm, ...times } = TIMES[size]
  const sink = await startSink()
  const contenders: Record<string, () => Promise<Sample>> = {}
  for (const nodes of NODES) {
    const database = await stores.fresh('postgres')
    contenders[nodes === 1 ? '1 node' : `${nodes} nodes`] = async () => {
      // Started for each round: idle nodes would query the same PostgreSQL.
      const host = await plazoHost(Array<string>(nodes).fill(database), sink)
      try {
        // Each node must compile the code for itself.
        return await watchOrders(host, stores.folder, nodes * Math.max(warm, firstWarm / 2), times)
      } finally {
        await host.stop()
      }
    }
  }
  try {
    return await inRounds(contenders, { rounds, size, say })
  } finally {
    await sink.stop()
  }
}

export const nodes: Part = {
  name: 'nodes',
  about: `whole orders a second by one, two and three nodes on one PostgreSQL, ${CONNECTIONS} connections in all`,
  measure,
}

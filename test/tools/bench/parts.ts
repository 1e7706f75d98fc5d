// The parts of the benchmark, in the order in which they run and are reported.
import { claims } from './claims.ts'
import { consoleReads } from './console.ts'
import { deliveries } from './deliveries.ts'
import { growth } from './growth.ts'
import { nodes } from './nodes.ts'
import { orders } from './orders.ts'
import { polls } from './polls.ts'
import type { Part } from './rounds.ts'
import { submissions } from './submissions.ts'

export const PARTS: readonly Part[] = [
  submissions,
  orders,
  deliveries,
  polls,
  growth,
  nodes,
  claims,
  consoleReads,
]

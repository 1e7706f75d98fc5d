// The parts of the benchmark, in the order in which they run and are reported.
import { claims } from './claims.ts'
import { clock } from './clock.ts'
import { steps } from './core.ts'
import { deliveries } from './deliveries.ts'
import { growth } from './growth.ts'
import { memory } from './memory.ts'
import { nodes } from './nodes.ts'
import { orders } from './orders.ts'
import { polls } from './polls.ts'
import type { Part } from './rounds.ts'
import { startUp } from './start-up.ts'
import { submissions } from './submissions.ts'

export const PARTS: readonly Part[] = [
  submissions,
  orders,
  deliveries,
  polls,
  growth,
  nodes,
  claims,
  clock,
  memory,
  startUp,
  steps,
]

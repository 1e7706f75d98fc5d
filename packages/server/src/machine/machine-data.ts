// The statechart as pages and pictures need it: the positions of its states, and the map on which an order's way is found.
// `pnpm machine` writes the data; a test fails if it differs from the machine.
import type { Arrangement } from './arrangement.ts'
import data from './machine-data.json' with { type: 'json' }
import type { MachineMap } from './order-path.ts'

/** JSON has no literal types, so the compiler cannot check the file. Only `pnpm machine` writes it. */
const { arrangements, map } = data as unknown as {
  readonly arrangements: readonly Arrangement[]
  readonly map: MachineMap
}

export const ARRANGEMENTS = arrangements
export const MACHINE_MAP = map

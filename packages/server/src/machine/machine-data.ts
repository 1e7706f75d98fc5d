// The statechart as pages and pictures need it: the positions of its states, the map on which an order's way is found, and the
// states in words. `pnpm machine` writes the data; a test fails if it differs from the machine.
import type { Arrangement } from './arrangement.ts'
import data from './machine-data.json' with { type: 'json' }
import type { MachineMap } from './order-path.ts'
import type { StateCard } from './state-card.ts'

/** JSON has no literal types, so the compiler cannot check the file. Only `pnpm machine` writes it. */
const { arrangements, map, cards } = data as unknown as {
  readonly arrangements: readonly Arrangement[]
  readonly map: MachineMap
  readonly cards: readonly StateCard[]
}

export const ARRANGEMENTS = arrangements
export const MACHINE_MAP = map
export const STATE_CARDS = cards

/** The whole data, for the custom element. */
export const MACHINE_DATA_TEXT = JSON.stringify(data)

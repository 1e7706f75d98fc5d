// The statechart as pages and pictures need it: its pictures, the map on which an
// order's way is found, and the states in words. `pnpm machine` writes the data; a test fails if it
// differs from the machine.
import data from './machine-data.json' with { type: 'json' }
import type { MachineMap } from './order-path.ts'
import type { Picture } from './picture.ts'

export type MachineData = {
  readonly pictures: readonly Picture[]
  readonly map: MachineMap
  readonly cards: readonly StateCard[]
}

/**
 * `event`: the event that ends the step, or null if none does. `value`: what the event must say,
 * for example a product.
 */
export type GuideStep = {
  readonly words: string
  readonly event: string | null
  readonly value: string | null
}

/**
 * The shortest way to a state. `trigger`: the surnames that take it in the test data, empty if any
 * others do, null if a provider must fail.
 */
export type Guide = { readonly trigger: string | null; readonly steps: readonly GuideStep[] }

/**
 * A state in words, with what its box in the picture says. `depth`: the number of boxes around it.
 */
export type StateCard = {
  readonly id: string
  readonly region: string
  readonly depth: number
  readonly title: string
  readonly caption: string | null
  readonly wait: string | null
  readonly section: string | null
  /** Null: a new order is here, or no short way leads here. */
  readonly guide: Guide | null
  readonly ways: readonly {
    readonly words: string
    readonly to: string
    readonly toTitle: string
  }[]
}

/**
 * JSON has no literal types, so the compiler cannot check the file. Only `pnpm machine` writes it.
 */
export const {
  pictures: PICTURES,
  map: MACHINE_MAP,
  cards: STATE_CARDS,
} = data as unknown as MachineData

/** The whole data, for the custom element. */
export const MACHINE_DATA_TEXT = JSON.stringify(data)

// A part of the benchmark: what it measures, in rounds, and what stands beside what.
import type { Rounds, Sample } from './rounds.ts'
import type { StoreName, Stores } from './stores.ts'

/** How long, how much, how often: full size by hand, a small one in the gate. */
export type Size = 'full' | 'small'

export type Asked = {
  readonly stores: Stores
  /** On which stores plazo is measured. */
  readonly on: readonly StoreName[]
  /** Beside peers, which are installed for it. */
  readonly peers: boolean
  readonly rounds: number
  readonly size: Size
  readonly say: (line: string) => void
}

/** Facts are what is counted once, not measured in rounds; notes are sentences that stand with the figures. */
export type Measured = Rounds & { readonly facts?: Sample; readonly notes?: readonly string[] }

export type Part = {
  readonly name: string
  readonly about: string
  readonly measure: (asked: Asked) => Promise<Measured>
}

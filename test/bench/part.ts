// A part of the benchmark: what it measures, in rounds, and what stands beside what.
import type { InRounds, Rounds, Sample } from './rounds.ts'
import type { StoreName, Stores } from './stores.ts'

export type Asked = InRounds & {
  readonly stores: Stores
  /** On which stores plazo is measured. */
  readonly on: readonly StoreName[]
  /** Beside peers, which are installed for it. */
  readonly peers: boolean
}

/** Facts are what is counted once, not measured in rounds; notes are sentences that stand with the figures. */
export type Measured = Rounds & { readonly facts?: Sample; readonly notes?: readonly string[] }

export type Part = {
  readonly name: string
  readonly about: string
  readonly measure: (asked: Asked) => Promise<Measured>
}

// The type of a part of the benchmark: what it measures, in rounds, and what it compares.
import type { InRounds, Rounds, Sample } from './rounds.ts'
import type { StoreName, Stores } from './stores.ts'

export type PartOptions = InRounds & {
  readonly stores: Stores
  /** The stores on which plazo is measured. */
  readonly on: readonly StoreName[]
  /** Also measures peers, which are installed for it. */
  readonly peers: boolean
}

/** Facts are counted once and not measured in rounds. Notes are sentences printed with the figures. */
export type PartResult = Rounds & { readonly facts?: Sample; readonly notes?: readonly string[] }

export type Part = {
  readonly name: string
  readonly about: string
  readonly measure: (asked: PartOptions) => Promise<PartResult>
}

// Every use case takes the host as its argument, so that none has its own clock, store or random source.
import type { StepInput, Terms } from '../order/terms.ts'
import type { Clock, Ids } from '../ports/clock-and-ids.ts'
import type { FullStore, Store } from '../ports/store.ts'

export type Host = { readonly store: Store; readonly clock: Clock; readonly ids: Ids; readonly terms: Terms }

/** A host whose store has every capability. */
export type FullHost = Host & { readonly store: FullStore }

/** The calling account, by its `username`. Orders of other accounts are reported as unknown. Contract §2. */
export type Caller = { readonly account: string }

/** The request was understood and refused. `sentences`: one for each reason. */
export type Refused = { readonly _tag: 'Refused'; readonly sentences: readonly string[] }

export const refuse = (...sentences: readonly string[]): Refused => ({ _tag: 'Refused', sentences })

export const stepInputOf = ({ clock, ids }: Host, referenceIsTaken: boolean): StepInput => ({
  at: clock.now(),
  random: ids.random(),
  referenceIsTaken,
})

// What every use case is given, and the moment it reads from it.
import type { Moment, Terms } from '../order/terms.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'

export type Host = { readonly store: Store; readonly clock: Clock; readonly ids: Ids; readonly terms: Terms }

/** Who asks, by his merchants' `username`: another account's order is to him as one that does not exist. Contract §2. */
export type Caller = { readonly account: string }

/** The request is understood and refused; `sentences` say why, one each. */
export type Refused = { readonly _tag: 'Refused'; readonly sentences: readonly string[] }

export const refused = (...sentences: readonly string[]): Refused => ({ _tag: 'Refused', sentences })

export const momentOf = ({ clock, ids }: Host, referenceIsTaken: boolean): Moment => ({
  at: clock.now(),
  fresh: ids.fresh(),
  referenceIsTaken,
})

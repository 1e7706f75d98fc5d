// @plazo/core/explanation: where an order is, whom it awaits and what happens next by itself, as data. A
// host with a changed statechart explains its orders with it too.
//
// ```ts
// import type { Terms } from '@plazo/core'
// import { type ExplanationFacts, explainWith } from '@plazo/core/explanation'
//
// /** What happens to an order if nobody does anything; null if nothing ever does. */
// export const next = (terms: Terms, facts: ExplanationFacts) => explainWith(terms)(facts).byItself
// console.log(typeof next)
// ```

export type { Party } from '../order/machine/state-meta.ts'
export type { Now } from './changes-ahead.ts'
export {
  type Explanation,
  type ExplanationFacts,
  explainWith,
  type Happening,
} from './explanation.ts'
export type { Outcome } from './trial.ts'
export type { Awaitable, Awaited, Tries } from './waits.ts'

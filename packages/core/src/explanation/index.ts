// @plazo/core/explanation: why an order stands where it stands, whom it awaits and what happens next, as
// data. A host with a changed statechart explains its orders with it too.
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
export type { Choice } from './choices.ts'
export {
  type Explanation,
  type ExplanationFacts,
  explainWith,
  type Happening,
} from './explanation.ts'
export { triesSentence } from './sentences.ts'
export type { Outcome } from './trial.ts'
export { type Awaitable, type Awaited, explainDelivery, type Tries } from './waits.ts'

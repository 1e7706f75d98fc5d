// @plazo/core/steps: the pure halves of use cases. A page, a simulation, or a host that keeps orders in its
// own way decides with them what a use case would do, without a store.
//
// ```ts
// import type { Order, Terms } from '@plazo/core'
// import { possibleAnswers, readSubmission } from '@plazo/core/steps'
//
// const timer = { key: 'order:2:timer', payload: { kind: 'timer', timer: 'screening' } } as const
// console.log(possibleAnswers(timer)[0]?.type) // timer.fired
//
// /** Which event a form is, for an order as it is now. */
// export const typeOf = (terms: Terms, order: Order, form: object) => {
//   const event = readSubmission(terms)(order, form, Date.now())
//   return event._tag === 'Right' ? event.right.type : event.left // or the wrong fields
// }
// ```

export {
  readSubmission,
  type SubmissionStep,
  submissionStep,
} from './shopper/submit-identification.ts'
export { possibleAnswers } from './worker/possible-answers.ts'

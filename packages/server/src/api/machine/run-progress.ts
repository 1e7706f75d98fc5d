// The page of the statechart shows how a run brings an order to a state, if the server has such
// runs. It reads this, line by line.
import { Count, description, namedObject, oneOf, orNull } from '@plazo/core/internal'
import * as t from 'io-ts'

/** A line of a run’s answer. */
export const StateRunProgress = namedObject('StateRunProgress', {
  status: oneOf('running', 'reached', 'failed'),
  order_ref: description(
    'The order that was placed. Null: it could not be placed.',
    orNull(t.string),
  ),
  done: description('The number of steps that are done.', Count),
  event: description(
    'The event that led to the state, if the order passed through it or leaves it within seconds.',
    orNull(Count),
  ),
  detail: description('Why the run failed.', orNull(t.string)),
})
export type StateRunProgress = t.TypeOf<typeof StateRunProgress>

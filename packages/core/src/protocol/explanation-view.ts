// An explanation of an order on the wire: where it is, whom it awaits, and what happens next by itself.
// Contract §3, Explanation.
import * as t from 'io-ts'
import { description } from './json-schema.ts'
import { Money } from './language.ts'
import { StateOnWire } from './order-view.ts'
import { Count, exactObject, Instant, namedObject, orNull, Texts } from './scalars.ts'

const Whereabouts = namedObject('Whereabouts', {
  state: t.string,
  since: description('Null if the history does not tell any more.', orNull(Instant)),
})

const Awaited = namedObject('Awaited', {
  who: t.string,
  what: description(
    'The event or the answer that ends the wait, such as `ipn.accepted`.',
    t.string,
  ),
  since: orNull(Instant),
  until: description('When the wait ends by itself; null: never.', orNull(Instant)),
  delivery: orNull(t.string),
  in_flight: t.boolean,
  next_at: orNull(Instant),
  last_attempt: description(
    'The last attempt of a delivery that failed, how many did, and how many follow.',
    orNull(exactObject({ at: Instant, error: t.string, failed: Count, left: Count })),
  ),
})

/** Where an order is, and what happens next, as the API answers it. Contract §3, Explanation. */
export const ExplanationView = namedObject('Explanation', {
  where: exactObject({ checkout: Whereabouts, risk: Whereabouts, cancellation: Whereabouts }),
  awaits: t.readonlyArray(Awaited),
  by_itself: description(
    'What happens next if everybody stays silent; null: nothing ever will.',
    orNull(
      namedObject('Happening', {
        event: t.string,
        at: Instant,
        is_latest: description(
          'True: an attempt in flight decides, and ends at this instant at the latest.',
          t.boolean,
        ),
        state: StateOnWire,
        effects: description('What is done then, for example `do refund` or `revoke ipn`.', Texts),
        refunded: Money,
        charged: Money,
      }),
    ),
  ),
  sentences: namedObject('Sentences', { where: Texts, awaits: Texts, by_itself: t.string }),
})
export type ExplanationView = t.TypeOf<typeof ExplanationView>

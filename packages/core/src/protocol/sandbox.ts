// Developers control the sandbox by these answers: the list of triggers, the SMS sent, and the clock. Contract §8.
import * as t from 'io-ts'
import { description, schemaName } from './annotation.ts'
import { Instant } from './instant.ts'
import { refined } from './scalars.ts'

export const TriggerCatalogue = schemaName(
  'Triggers',
  t.readonly(
    t.strict({
      triggers: t.readonlyArray(
        t.readonly(
          t.strict({
            surnames: description('In any case.', t.string),
            note: t.string,
            path: description(
              'What the wait endpoint answers, from identification to the end.',
              t.readonlyArray(t.string),
            ),
          }),
        ),
      ),
      otp: t.readonly(t.strict({ code: t.string, note: t.string })),
      cards: t.readonlyArray(
        t.readonly(t.strict({ number: t.string, does: t.string, expiry: t.string, cvc: t.string })),
      ),
    }),
  ),
)
export type TriggerCatalogue = t.TypeOf<typeof TriggerCatalogue>

export const SmsSent = schemaName(
  'SmsSent',
  t.readonly(t.strict({ at: Instant, to: t.string, text: t.string, code: t.string })),
)
export type SmsSent = t.TypeOf<typeof SmsSent>

export const ClockView = t.readonly(t.strict({ now: Instant }))

const Seconds = refined(
  'a number, 0 or more',
  { type: 'number', minimum: 0 },
  (value): value is number => typeof value === 'number' && value >= 0,
)

/** `POST /sandbox/clock/advance`. */
export const AdvancePayload = t.type({ seconds: Seconds })

export const Advanced = schemaName(
  'Advanced',
  t.readonly(
    t.strict({
      now: Instant,
      fired: description(
        'All that fell due, in its order.',
        t.readonlyArray(t.readonly(t.strict({ at: Instant, order_ref: t.string, what: t.string }))),
      ),
    }),
  ),
)
export type Advanced = t.TypeOf<typeof Advanced>

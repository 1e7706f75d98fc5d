// The sandbox simulates the card form and the ID session. These codecs fix the bodies and answers of
// their posts. Contract §11, Card form and ID check session.
import {
  description,
  exactObject,
  objectOf,
  oneOf,
  optional,
  SessionStatus,
  schemaName,
  Text,
} from '@plazo/core/protocol'
import * as t from 'io-ts'

export const CardForm = schemaName(
  'CardForm',
  objectOf({
    number: description('13 to 19 digits.', optional(Text)),
    expiry: description('MM/YY, this month or later.', optional(Text)),
    cvc: description('Three or four digits.', optional(Text)),
    save: description('on saves the card for this shopper’s later orders.', optional(Text)),
  }),
)

export const SavedCardForm = schemaName(
  'SavedCardForm',
  objectOf({ cvc: description('Three or four digits.', optional(Text)) }),
)

export const ChallengeForm = t.type({ status: oneOf('success', 'failure') })

export const SessionForm = t.type({ status: SessionStatus })
export const SessionView = exactObject({ status: SessionStatus })

/** The answer to a post to the card form. The form passes it on to the page around it. */
export const cardMessage = (service: string) =>
  schemaName(
    'CardMessage',
    t.union([
      exactObject({ action: t.literal(`${service}.payment_successful`) }),
      exactObject({ action: t.literal(`${service}.payment_failed`), error: t.string }),
      exactObject({
        action: t.literal(`${service}.3ds_authentication`),
        src: description('The bank’s page. Post status success or failure to it.', t.string),
      }),
      exactObject({ action: t.literal(`${service}.invalid_form`) }),
    ]),
  )
export type CardMessage = t.TypeOf<ReturnType<typeof cardMessage>>

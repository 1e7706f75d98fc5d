// The sandbox simulates the card form and the ID session. These codecs fix the bodies and answers of their posts. Contract §8.
import * as t from 'io-ts'
import { description, schemaName } from './annotation.ts'
import { SessionStatus } from './provider-answer.ts'
import { objectOf, Text } from './scalars.ts'

export const CardForm = schemaName(
  'CardForm',
  objectOf(
    {},
    {
      number: description('13 to 19 digits.', Text),
      expiry: description('MM/YY, this month or later.', Text),
      cvc: description('Three or four digits.', Text),
      save: description('on keeps the card for this shopper’s later orders.', Text),
    },
  ),
)

export const SavedCardForm = schemaName(
  'SavedCardForm',
  objectOf({}, { cvc: description('Three or four digits.', Text) }),
)

export const ChallengeForm = t.type({ status: t.keyof({ success: null, failure: null }, 'success or failure') })

export const SessionForm = t.type({ status: t.keyof(SessionStatus.keys, 'VERIFIED, FAILED or ERROR') })
export const SessionView = t.readonly(t.strict({ status: SessionStatus }))

/** The answer to a post to the card form. The form passes it on to the page around it. */
export const cardMessage = (service: string) =>
  schemaName(
    'CardMessage',
    t.union([
      t.readonly(t.strict({ action: t.literal(`${service}.payment_successful`) })),
      t.readonly(t.strict({ action: t.literal(`${service}.payment_failed`), error: t.string })),
      t.readonly(
        t.strict({
          action: t.literal(`${service}.3ds_authentication`),
          src: description('The bank’s page: a post of status success or failure to it ends it.', t.string),
        }),
      ),
      t.readonly(t.strict({ action: t.literal(`${service}.invalid_form`) })),
    ]),
  )
export type CardMessage = t.TypeOf<ReturnType<typeof cardMessage>>

// A developer's command forwards a sandbox merchant's webhooks to their own machine, and returns the answers. Contract §8.
import * as t from 'io-ts'
import { description } from './json-schema.ts'
import { absentOr, Count, FlatStrings, namedObject, objectOf, refined, Text } from './scalars.ts'

export const ForwardedDelivery = namedObject('ForwardedDelivery', {
  number: description('The number of the delivery, until it is answered.', Count),
  endpoint: t.keyof({ ipn: null, events: null }),
  event: t.string,
  url: description('The URL to which it is sent if no listener is connected.', t.string),
  headers: FlatStrings,
  body: t.string,
})
export type ForwardedDelivery = t.TypeOf<typeof ForwardedDelivery>

const HttpStatus = refined(
  'an HTTP status from 200 to 599',
  { type: 'integer', minimum: 200, maximum: 599 },
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 200 && Number(value) <= 599,
)

const ERRORS = ['timeout', 'connection_refused', 'connection_reset', 'protocol_error', 'response_too_large'] as const
const ForwardingError = refined(
  `one of ${ERRORS.join(', ')}`,
  { type: 'string', enum: ERRORS },
  (value): value is (typeof ERRORS)[number] => ERRORS.some((error) => error === value),
)

/** `POST /sandbox/listen/<number>`: the answer of the local server, or why there is none. */
export const ForwardedAnswer = objectOf(
  {},
  {
    status: absentOr(HttpStatus),
    retry_after: description('The header Retry-After.', absentOr(Text)),
    body: absentOr(Text),
    error: description('In place of status: why there was no answer.', absentOr(ForwardingError)),
  },
)
export type ForwardedAnswer = t.TypeOf<typeof ForwardedAnswer>

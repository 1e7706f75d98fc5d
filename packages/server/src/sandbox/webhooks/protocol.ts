// A merchant of the sandbox watches their webhooks here. Sandbox rules, Webhook inbox.
import {
  Count,
  description,
  FlatStrings,
  Instant,
  namedObject,
  oneOf,
  orNull,
  Text,
} from '@plazo/core/protocol'
import * as t from 'io-ts'

const Endpoint = oneOf('ipn', 'events')

export const InboxRequest = namedObject('InboxRequest', {
  id: description('Grows with each request.', Count),
  at: Instant,
  endpoint: Endpoint,
  event: description('Null for an IPN, and for a body that names none.', orNull(Text)),
  order_ref: description('The merchant’s order that the request names.', orNull(Text)),
  delivery: description('The Webhook-Id.', orNull(Text)),
  signature: description(
    'unchecked: the request was refused before its signature was checked.',
    oneOf('right', 'wrong', 'missing', 'unchecked'),
  ),
  headers: FlatStrings,
  body: description('Its first 64 KiB.', t.string),
  is_cut: description('True: the body was longer.', t.boolean),
  status: description('Of the response.', Count),
  response: description('The body of the response.', t.string),
})
export type InboxRequest = t.TypeOf<typeof InboxRequest>

export const Inbox = namedObject('Inbox', {
  ipn_url: description(
    'The notify_url of this inbox. Null until the merchant asks for it.',
    orNull(Text),
  ),
  events_url: description(
    'The events_webhook.url of this inbox. Null until the merchant asks for it.',
    orNull(Text),
  ),
  requests: description('Newest first, 200 at most.', t.readonlyArray(InboxRequest)),
})
export type Inbox = t.TypeOf<typeof Inbox>

// A merchant of the sandbox reads here which webhooks its receivers got, before it has a server of its own. Contract §8.
import * as t from 'io-ts'
import { Instant } from './instant.ts'
import { description } from './json-schema.ts'
import { Count, FlatStrings, namedObject, orNull, Text } from './scalars.ts'

export const InboxRequest = namedObject('InboxRequest', {
  id: description('Grows with each request.', Count),
  at: Instant,
  endpoint: t.keyof({ ipn: null, events: null }),
  event: description('Null for an IPN, and for a body that names none.', orNull(Text)),
  order_ref: description('The merchant’s order that the request names.', orNull(Text)),
  delivery: description('The Webhook-Id.', orNull(Text)),
  signature: description(
    'unchecked: the request was refused before its signature was checked.',
    t.keyof({ right: null, wrong: null, missing: null, unchecked: null }),
  ),
  headers: FlatStrings,
  body: description('Its first 64 KiB.', t.string),
  is_cut: description('True: the body was longer.', t.boolean),
  status: description('Of the response.', Count),
  response: description('The body of the response.', t.string),
  drill: description('The fault drill that changed the request.', orNull(Text)),
})
export type InboxRequest = t.TypeOf<typeof InboxRequest>

export const Inbox = namedObject('Inbox', {
  ipn_url: description('The notify_url of this inbox. Null until the merchant asks for it.', orNull(Text)),
  events_url: description('The events_webhook.url of this inbox. Null until the merchant asks for it.', orNull(Text)),
  requests: description('Newest first, 200 at most.', t.readonlyArray(InboxRequest)),
})
export type Inbox = t.TypeOf<typeof Inbox>

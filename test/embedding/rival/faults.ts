// The faults that can be planted in the rival server, one for each kind of mistake that another team
// could make, with the words of the demand that it breaks.

export const FAULTS = {
  'a placed order is answered 201': 'a placed order is 204',
  'a 401 has no WWW-Authenticate': 'missing credentials are 401 with WWW-Authenticate',
  'an unknown uuid is answered 200': 'wait of an unknown uuid is a problem with status 404',
  'only the first wrong field is named': 'names all that are',
  'wait_for_screening has no polling_url': 'holds every attribute of its action',
  'resume_after_screening is answered once': 'resume_after_screening stays',
  'a wrong code is accepted': 'only the last code sent',
  'the signature covers the decoded body': 'the lower-case hex HMAC-SHA256 of those bytes',
  'events are sent as JSON': 'each request has the headers of its kind',
  'an accepted IPN is sent again': 'what the merchant has accepted is not sent again',
  'a second confirmation is 409': 'a state that is already reached is 200 again',
  'the order shows the shopper’s phone': 'never show the shopper’s data',
  'instants have no zone': 'an order has its instants in ISO 8601 and UTC',
  'a cancel question ignores retry_in': 'no earlier than its minutes say',
} as const

export type Fault = keyof typeof FAULTS

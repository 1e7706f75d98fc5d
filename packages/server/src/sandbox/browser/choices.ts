// The choices of a newcomer in the demo shop: how to pay, and how the shop answers. The first three
// of a list are in sight.

export const PRODUCTS = [
  ['pp3', 'Pay in 3 to 24 instalments', ''],
  ['i1', 'Pay later', ''],
  ['sp1', 'Pay in 3 without cost', ''],
  ['fp1', 'Pay now', ''],
] as const

/** The value of `answer` in the URL of the demo shop. Sandbox rules, Demo. */
export const ANSWERS = [
  ['', '200', 'accepts the order'],
  ['error-then-ok', '500, then 200', 'fails once'],
  ['conflict', '409 Conflict', 'refuses the order'],
  ['500', '500', 'fails until the order expires'],
  ['slow', '200 after 10 seconds', 'accepts late'],
  ['silent', 'no answer', 'fails after 30 seconds'],
  ['redirect', '302 Found', 'is never followed'],
  ['reset', 'a broken connection', 'is tried again'],
  ['dripping', '200 and an endless body', 'still accepts'],
] as const

export const CARDS = [
  ['4111111111111111', 'pays'],
  ['4000000000000002', 'is declined'],
  ['4000000000003220', 'asks for 3-D Secure, which may fail'],
] as const

// A whole order on plazo: placed, identified with a wrong and a right code, screened, resumed, paid
// by card and confirmed; the merchant receives the risk. It has seven requests that write, one
// post, and the polls of a frontend.
import { basic, CARD, DEMO, orderBody, PERSON } from '../../harness/shop.ts'
import { type Ask, type Load, run } from './load.ts'
import type { Journey, Pause } from './shoppers.ts'
import { type Answer, request } from './wire.ts'

// Nothing listens there. Such orders never cause an event.
const NOBODY = 'http://127.0.0.1:9'

const CODE = '12345'
const WRONG_CODE = '54321'
const AGREEMENT = { credit_agreement: { product: 'fp1', instalment_count: 1 } }

// A frontend polls every two seconds, and the sandbox's screening takes one. A server that keeps up
// gets one poll. The polls of a slower server count too.
const BETWEEN_POLLS = 2000
const POLLS_MAX = 30

const credentials = { Authorization: basic(DEMO.username, DEMO.password) }

type Action = { readonly action: string; readonly iframe_url?: string }

const expectStatus = (what: string, { status, body }: Answer, expected: number): void => {
  if (status !== expected) throw new Error(`${what} was answered ${status}: ${body}`)
}

const actionOf = (what: string, answer: Answer, expected: string | null): Action => {
  expectStatus(what, answer, 200)
  const action = JSON.parse(answer.body) as Action
  if (expected !== null && action.action !== expected)
    throw new Error(`${what} was answered ${answer.body}`)
  return action
}

const CARD_FORM = new URLSearchParams(CARD).toString()
const CARD_HEAD = `HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${CARD_FORM.length}`

const card = (path: string): string => `POST ${path} ${CARD_HEAD}\r\n\r\n${CARD_FORM}`

type Receiver = { readonly notify_url?: string; readonly events_webhook: { readonly url: string } }

const placeRequest = (receiver: Receiver): string =>
  request(
    'POST',
    '/orders',
    JSON.stringify(orderBody({ merchant: { notify_url: null, ...receiver } })),
    credentials,
  )

const orderRefIn = ({ head }: Answer): string =>
  /\r\nlocation: \S*\/orders\/(\S+)/i.exec(head)?.[1] ?? ''

/** Built once: only the uuid in its path differs. */
const toOrder = (method: string, before: string, after: string, body: object, headers = {}) => {
  const whole = request(method, `${before}?${after}`, JSON.stringify(body), headers)
  const at = whole.indexOf('?')
  const [start, rest] = [whole.slice(0, at), whole.slice(at + 1)]
  return (orderRef: string): string => start + orderRef + rest
}
const submitRequest = (extra: object = {}) =>
  toOrder('POST', '/api/v1/checkout/', '/identification', { ...PERSON, ...AGREEMENT, ...extra })

const submission = submitRequest()
const wrongCode = submitRequest({ validation_code: WRONG_CODE })
const rightCode = submitRequest({ validation_code: CODE })
const confirmation = toOrder('PUT', '/orders/', '', { order: { state: 'confirmed' } }, credentials)

const poll = (orderRef: string): string =>
  `GET /api/v1/checkout/${orderRef}/wait HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** Identified with a wrong and the right code, screened, resumed and paid by card. */
const payOrder = async (ref: string, ask: Ask, pause: Pause): Promise<void> => {
  actionOf('The form', await ask(submission(ref)), 'require_validate_otp')
  const { action } = actionOf('A code', await ask(wrongCode(ref)), null)
  // In one of very many orders, the wrong code is the right one.
  if (action !== 'wait_for_screening')
    actionOf('The code', await ask(rightCode(ref)), 'wait_for_screening')
  await pause(BETWEEN_POLLS)
  await until(ref, 'resume_after_screening', ask, pause)
  const paying = actionOf('The resumed form', await ask(submission(ref)), 'require_payment')
  const { iframe_url: form = '' } = paying
  expectStatus('The card', await ask(card(form.slice(form.indexOf('/sandbox/pay/')))), 200)
}

/**
 * `sink`: the URL of the merchant's receiver. The order is as large as the peers': placed, and six
 * requests that write.
 */
export const plazoOrder = (sink: string): Journey => {
  const place = placeRequest({ events_webhook: { url: `${sink}/events` } })
  return async (ask, pause) => {
    const placed = await ask(place)
    expectStatus('POST /orders', placed, 204)
    const ref = orderRefIn(placed)
    await payOrder(ref, ask, pause)
    expectStatus('The confirmation', await ask(confirmation(ref)), 200)
    await until(ref, 'finish', ask, pause)
  }
}

const until = async (ref: string, expected: string, ask: Ask, pause: Pause): Promise<void> => {
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    const answer = await ask(poll(ref))
    expectStatus('A poll', answer, 200)
    if ((JSON.parse(answer.body) as Action).action === expected) return
    await pause(BETWEEN_POLLS)
  }
  throw new Error(`The checkout never came to ${expected}.`)
}

const requireStatus = (load: Load, status: number): Load => {
  for (const answer of load.answers) expectStatus('A request', answer, status)
  return load
}

/** Places orders. Resolves to their uuids. */
export const placeMany = async (
  port: number,
  count: number,
  connections: number,
): Promise<readonly string[]> => {
  const place = placeRequest({
    notify_url: `${NOBODY}/notify`,
    events_webhook: { url: `${NOBODY}/events` },
  })
  return requireStatus(
    await run(port, Array<string>(count).fill(place), connections),
    204,
  ).answers.map(orderRefIn)
}

/** Sends the first submission of each order. */
export const submitMany = async (
  port: number,
  refs: readonly string[],
  connections: number,
): Promise<Load> => {
  return requireStatus(await run(port, refs.map(submission), connections), 200)
}

/** Creates orders that wait for their code. */
export const openOrders = async (
  port: number,
  count: number,
  connections: number,
): Promise<readonly string[]> => {
  const refs = await placeMany(port, count, connections)
  await submitMany(port, refs, connections)
  return refs
}

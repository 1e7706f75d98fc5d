// A whole order at plazo: placed, identified with a code (after two wrong ones), screened, paid by card; the merchant accepts the IPN and is
// told the risk. Seven requests that write, two posts to the merchant, and the polls of a frontend in between.
import { basic, CARD, DEMO, orderBody, PERSON } from '../support/shop.ts'
import { type Load, request, run } from './load.ts'
import type { Answer, Ask, Journey } from './shoppers.ts'

// Where nobody is called: such orders come to no event.
const NOBODY = 'http://127.0.0.1:9'

const CODE = '12345'
const WRONG_CODE = '54321'
const AGREEMENT = { credit_agreement: { product: 'fp1', instalment_count: 1 } }

// The sandbox's screening takes a second; a frontend looks when what it waits for should be there, then every second.
const SCREENING = 1050
const CONFIRMING = 1000
const BETWEEN_POLLS = 1000
const POLLS_MAX = 100

const credentials = { Authorization: basic(DEMO.username, DEMO.password) }

type Action = { readonly action: string; readonly iframe_url?: string }

const answered = (what: string, { status, body }: Answer, wanted: number): void => {
  if (status !== wanted) throw new Error(`${what} was answered ${status}: ${body}`)
}

const actionOf = (what: string, answer: Answer, wanted: string | null): Action => {
  answered(what, answer, 200)
  const action = JSON.parse(answer.body) as Action
  if (wanted !== null && action.action !== wanted) throw new Error(`${what} was answered ${answer.body}`)
  return action
}

const form = (path: string, fields: Readonly<Record<string, string>>): Buffer => {
  const body = new URLSearchParams(fields).toString()
  const type = 'application/x-www-form-urlencoded'
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
}

export const placing = (sink: string): Buffer =>
  request(
    'POST',
    '/orders',
    JSON.stringify(
      orderBody({ merchant: { notify_url: `${sink}/notify`, events_webhook: { url: `${sink}/events` } } }),
    ),
    credentials,
  )

export const orderRefIn = ({ head }: Answer): string => /\r\nlocation: \S*\/orders\/(\S+)/i.exec(head)?.[1] ?? ''

export const submission = (orderRef: string, extra: object = {}): Buffer =>
  request('POST', `/api/v1/checkout/${orderRef}/identification`, JSON.stringify({ ...PERSON, ...AGREEMENT, ...extra }))

export const poll = (orderRef: string): Buffer =>
  Buffer.from(`GET /api/v1/checkout/${orderRef}/wait HTTP/1.1\r\nHost: localhost\r\n\r\n`)

/** `sink`: the URL of the merchant's receiver. */
export const plazoOrder = (sink: string): Journey => {
  const place = placing(sink)
  return async (ask, pause) => {
    const placed = await ask(place)
    answered('POST /orders', placed, 204)
    const ref = orderRefIn(placed)
    actionOf('The form', await ask(submission(ref)), 'require_validate_otp')
    const codes = [WRONG_CODE, WRONG_CODE, CODE]
    let action = ''
    // One order in very many has the wrong code for its right one.
    while (action !== 'wait_for_screening' && codes.length > 0)
      action = actionOf('A code', await ask(submission(ref, { validation_code: codes.shift() })), null).action
    if (action !== 'wait_for_screening') throw new Error(`The code was answered ${action}.`)
    await pause(SCREENING)
    await until(ref, 'resume_after_screening', ask, pause)
    const paying = actionOf('The resumed form', await ask(submission(ref)), 'require_payment')
    answered('The card', await ask(form(new URL(paying.iframe_url ?? '').pathname, CARD)), 200)
    await pause(CONFIRMING)
    await until(ref, 'finish', ask, pause)
  }
}

const until = async (
  ref: string,
  wanted: string,
  ask: Ask,
  pause: (millis: number) => Promise<void>,
): Promise<void> => {
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    const answer = await ask(poll(ref))
    answered('A poll', answer, 200)
    if ((JSON.parse(answer.body) as Action).action === wanted) return
    await pause(BETWEEN_POLLS)
  }
  throw new Error(`The checkout never came to ${wanted}.`)
}

const allAnswered = (load: Load, status: number): Load => {
  if (load.statuses.size !== 1 || !load.statuses.has(status))
    throw new Error(`Not all answered ${status}: ${JSON.stringify([...load.statuses])}`)
  return load
}

/** Places orders; answers with their uuids. */
export const placeMany = async (port: number, count: number, connections: number): Promise<readonly string[]> => {
  const load = await run(port, Array<Buffer>(count).fill(placing(NOBODY)), connections)
  return allAnswered(load, 204).answers.map((answer) => /\r\nlocation: \S*\/orders\/(\S+)/i.exec(answer)?.[1] ?? '')
}

/** The first submission of each. */
export const submitMany = async (port: number, refs: readonly string[], connections: number): Promise<Load> => {
  const requests = refs.map((ref) => submission(ref))
  return allAnswered(await run(port, requests, connections), 200)
}

/** Orders that wait for their code. */
export const openOrders = async (port: number, count: number, connections: number): Promise<readonly string[]> => {
  const refs = await placeMany(port, count, connections)
  await submitMany(port, refs, connections)
  return refs
}

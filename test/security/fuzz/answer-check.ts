// Checks an answer against the contract: its status must be allowed, and its body must have the
// right shape. §2, §4.
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import {
  CheckoutMetadata,
  CheckoutSummary,
  IdentificationAction,
  PaymentMethods,
  StateRunProgress,
  WaitAction,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import type { RouteCase } from './routes.ts'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type Decoder = { readonly decode: (value: unknown) => E.Either<unknown, unknown> }
type Json = Readonly<Record<string, unknown>>

const parseBody = ({ text }: Answer): Json => JSON.parse(text) as Json

const isSentenceList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each) => typeof each === 'string' && each !== '')

const checkProblem = (answer: Answer, requestPath: string): void => {
  const body = parseBody(answer)
  if (answer.status === 409 && 'errors' in body) {
    deepStrictEqual(Object.keys(body), ['errors'])
    ok(isSentenceList(body.errors), 'errors is no list of sentences')
    return
  }
  if (requestPath.startsWith('/demo/') && 'error' in body) return
  match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
  deepStrictEqual(Object.keys(body).sort(), ['detail', 'status', 'title', 'type'])
  strictEqual(body.status, answer.status)
  for (const name of ['type', 'title', 'detail']) {
    ok(typeof body[name] === 'string' && body[name] !== '', `${name} is no text`)
  }
  doesNotMatch(answer.text, /node_modules|\.[jt]s:\d|RangeError|TypeError|SqliteError/)
}

const checkSuccess = (answer: Answer, expected: RouteCase['answer']): void => {
  const exactly = (codec: Decoder): void => {
    const decoded: E.Either<unknown, unknown> = codec.decode(parseBody(answer))
    ok(E.isRight(decoded), `no ${expected}: ${answer.text}`)
    deepStrictEqual(decoded.right, parseBody(answer))
  }
  if (expected === 'identification action') exactly(IdentificationAction)
  else if (expected === 'wait action') exactly(WaitAction)
  else if (expected === 'metadata') exactly(CheckoutMetadata)
  else if (expected === 'summary') exactly(CheckoutSummary)
  else if (expected === 'payment methods') exactly(PaymentMethods)
  else if (expected === 'page') match(answer.text, /^<!doctype html>/)
  else if (expected === 'stream')
    strictEqual(answer.headers.get('content-type'), 'text/event-stream')
  else if (expected === 'metrics') match(answer.text, /^# HELP plazo_/)
  else if (expected === 'progress')
    for (const line of answer.text.trim().split('\n'))
      ok(StateRunProgress.is(JSON.parse(line)), `no progress: ${line}`)
  else if (expected !== undefined)
    strictEqual(Array.isArray(parseBody(answer)) ? 'array' : typeof parseBody(answer), expected)
}

type CheckedRequest = {
  readonly method: string
  readonly path: string
  readonly route: RouteCase | undefined
  readonly asksForPage?: boolean
}

/** @throws an error that describes what is wrong with the answer. */
export const checkAnswer = (
  answer: Answer,
  allowed: readonly number[],
  { method, path, route, asksForPage = false }: CheckedRequest,
): void => {
  const isPage = (answer.headers.get('content-type') ?? '').startsWith('text/html')
  // A browser gets a page, and is redirected to one after a decision.
  const isForBrowsers = route?.caller === 'operator' || /^\/(sandbox|pay)\//.test(path)
  if (asksForPage && isForBrowsers && (isPage || answer.status === 303)) {
    ok(
      [...allowed, 303].includes(answer.status),
      `answered ${answer.status}, allowed: ${allowed.join(', ')}, 303`,
    )
    match(answer.text, /^(<!doctype html>|$)/)
    return
  }
  ok(
    allowed.includes(answer.status),
    `answered ${answer.status}, allowed: ${allowed.join(', ')}. ${answer.text}`,
  )
  if (answer.status === 401 && !path.startsWith('/demo/'))
    ok(answer.headers.has('www-authenticate'))
  if (answer.status === 405) ok(answer.headers.has('allow'))
  if (method === 'HEAD' || answer.status === 204 || answer.status === 304)
    strictEqual(answer.text, '')
  else if (answer.status >= 400) checkProblem(answer, path)
  else checkSuccess(answer, route?.answer)
}

/**
 * True if the request was rejected, so that nothing may have changed. A wrong code counts as an
 * attempt, so it does change the order.
 */
export const isRefusal = (answer: Answer, route: RouteCase): boolean => {
  if (answer.status >= 400) return true
  if (route.answer !== 'identification action' || answer.text === '') return false
  const { action, errors } = parseBody(answer) as {
    readonly action: string
    readonly errors?: Json
  }
  return (
    action === 'show_identification_form' && errors !== undefined && !('validation_code' in errors)
  )
}

// Checks the status of an answer and the shape of an error against the contract. §2, §4. The shapes
// of other answers are checked against the document.
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import type { RouteCase } from './routes.ts'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type Json = Readonly<Record<string, unknown>>

const parseBody = (text: string): Json => JSON.parse(text) as Json

const isSentenceList = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each) => typeof each === 'string' && each !== '')

const checkProblem = (answer: Answer, requestPath: string): void => {
  const body = parseBody(answer.text)
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

type CheckedRequest = {
  readonly method: string
  readonly path: string
  readonly route: RouteCase | undefined
  readonly asksForPage?: boolean
}

/** @throws an error that describes what is wrong with the answer. */
export const checkAnswer = (
  answer: Answer,
  { method, path, route, asksForPage = false }: CheckedRequest,
): void => {
  const isPage = (answer.headers.get('content-type') ?? '').startsWith('text/html')
  const isForBrowsers = /^\/(console|sandbox|pay)\b/.test(path)
  // The demo's receiver does not support some events.
  const isUnsupported = answer.status === 501 && path.startsWith('/demo/')
  ok(answer.status < 500 || isUnsupported, `answered ${answer.status}. ${answer.text}`)
  // A form is shown again with its errors. A browser also gets every other error as a page.
  const mayShowPage = route?.isDescribed === false || (asksForPage && isForBrowsers)
  if (mayShowPage && (isPage || answer.status === 303)) {
    match(answer.text, /^(<!doctype html>|$)/)
    return
  }
  if (answer.status === 401 && !path.startsWith('/demo/'))
    ok(answer.headers.has('www-authenticate'))
  if (answer.status === 405) ok(answer.headers.has('allow'))
  if (method === 'HEAD' || answer.status === 204 || answer.status === 304)
    strictEqual(answer.text, '')
  else if (answer.status >= 400) checkProblem(answer, path)
  else if (isPage) match(answer.text, /^<!doctype html>/)
}

/**
 * True if the request was rejected, so that nothing may have changed. A wrong code counts as an
 * attempt, so it does change the order.
 */
export const isRefusal = ({ status, text }: Answer): boolean => {
  if (status >= 400) return true
  const { action, errors } = text.startsWith('{"action":') ? parseBody(text) : {}
  return action === 'show_identification_form' && !('validation_code' in Object(errors))
}

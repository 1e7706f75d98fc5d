// Fuzzes one route of the running service: it sends requests drawn from a seed, checks each answer
// against the contract (§2, §4) and the OpenAPI document, and checks that its order survives.
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import { templateOf } from '../../../packages/server/src/api/docs/openapi/operation-object.ts'
import { conformityOf } from '../../end-to-end/openapi/conformity.ts'
import { basic } from '../../harness/shop.ts'
import { type Request, validRequest } from '../valid-requests.ts'
import {
  formBody,
  hostileHeaders,
  hostileQuery,
  hostileSegment,
  jsonBody,
} from './hostile-input.ts'
import type { RouteCase } from './routes.ts'
import { openScene, type Scene } from './scene.ts'

type FuzzOptions = { readonly seed: number; readonly numRuns: number }
type Json = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly headers: Headers; readonly text: string }

/** A stream of events never ends, so it is closed unread. */
export const textOf = async (response: Response): Promise<string> => {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  await response.body?.cancel()
  return ''
}

/** @throws an error that describes what is wrong with the answer. */
const checkAnswer = (answer: Answer, path: string): void => {
  const { status, headers, text } = answer
  const isOfDemo = path.startsWith('/demo/')
  // The demo's receiver does not support some events.
  ok(status < 500 || (status === 501 && isOfDemo), `answered ${status}. ${text}`)
  // A HEAD, and what has not changed.
  if (text === '') return
  if (headers.get('content-type')?.startsWith('text/html')) match(text, /^<!doctype html>/)
  else if (status >= 400 && !isOfDemo) {
    doesNotMatch(text, /node_modules|\.[jt]s:\d|RangeError|TypeError|SqliteError/)
    const isProblem = !('errors' in JSON.parse(text))
    if (isProblem) match(headers.get('content-type') ?? '', /^application\/problem\+json/)
  }
}

/**
 * True if the request was rejected, so that nothing may have changed. A wrong code counts as an
 * attempt, so it does change the order.
 */
const isRefusal = ({ status, text }: Answer): boolean => {
  if (status >= 400) return true
  const { action, errors } = text.startsWith('{"action":') ? (JSON.parse(text) as Json) : {}
  return action === 'show_identification_form' && !('validation_code' in Object(errors))
}

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** What is wrong with a request. A wrong password costs a scrypt hash, by design: few are drawn. */
const faultsOf = ({ caller, body }: RouteCase) =>
  fc.record({
    segment: fc.option(hostileSegment, { freq: 5 }),
    query: hostileQuery,
    headers: hostileHeaders,
    authorization: fc.option(
      fc.constantFrom('', 'Basic !!!!', 'Bearer ZGVtbzpkZW1v', 'Basic', basic('demo', 'Demo')),
      { freq: caller === 'anybody' ? 1_000 : 8 },
    ),
    contentType: fc.option(fc.constantFrom('text/plain', 'application/json/evil', ';;;'), {
      freq: 12,
    }),
    isUnsigned: fc.nat(3).map((n) => n === 0),
    isLatin1: fc.nat(20).map((n) => n === 0),
    content:
      body === undefined
        ? fc.constantFrom(null, null, '{}', 'x'.repeat(100_000))
        : body.kind === 'form' || body.kind === 'webhook'
          ? formBody(body.valid as Parameters<typeof formBody>[0])
          : fc.oneof(
              { weight: 3, arbitrary: jsonBody(body.valid, body.limit) },
              ...(body.misses === undefined
                ? []
                : [
                    { weight: 1, arbitrary: body.misses.map(({ value }) => JSON.stringify(value)) },
                  ]),
            ),
  })

const SIGNATURES = ['x-service-signature', 'webhook-signature']

const withFaults = (
  request: Request,
  { segment, query, headers, authorization, contentType, isUnsigned, isLatin1 }: Faults,
) => {
  const { method, path, body } = request
  const all = {
    ...request.headers,
    ...headers,
    ...(authorization !== null && { authorization }),
    ...(contentType !== null && { 'content-type': contentType }),
  }
  const sent = Object.entries(all).filter(([name]) => !isUnsigned || !SIGNATURES.includes(name))
  const to = segment === null ? path : path.replace(/[^/]+$/, () => segment)
  const encoded =
    body === null || method === 'GET' ? null : Buffer.from(body, isLatin1 ? 'latin1' : 'utf8')
  return { path: to + query, init: { method, headers: Object.fromEntries(sent), body: encoded } }
}

type Faults = ReturnType<typeof faultsOf> extends fc.Arbitrary<infer A> ? A : never

/** True if such a request must be refused: its credentials, signature or JSON are wrong. */
const isWrong = ({ authorization, isUnsigned, content }: Faults, { caller, body }: RouteCase) =>
  (caller !== 'anybody' && authorization !== null) ||
  ((body?.kind === 'webhook' || body?.kind === 'callback') && isUnsigned) ||
  ((body?.kind === 'json' || body?.kind === 'callback') && !isJsonObject(content ?? ''))

const sendTo = async (scene: Scene, path: string, init: RequestInit): Promise<Answer> => {
  const response = await scene.send(path, init)
  return { status: response.status, headers: response.headers, text: await textOf(response) }
}

const watchRoute = async (scene: Scene, name: string, route: RouteCase) => {
  const [method = '', template = ''] = name.split(' ')
  const conformity = conformityOf(scene.document)
  let target = await scene.at(route.stage)
  let before = await scene.seen(target.orderRef)

  return async (faults: Faults): Promise<void> => {
    const { path, init } = withFaults(validRequest(name, route, target, faults.content), faults)
    const answer = await sendTo(scene, path, init)
    checkAnswer(answer, template)
    if (isWrong(faults, route)) ok(isRefusal(answer), `accepted: ${answer.status}`)
    if (route.isDescribed && faults.segment === null)
      conformity.answers(method, templateOf(template), answer)
    strictEqual(scene.faults.splice(0).join('\n'), '')
    const after = await scene.seen(target.orderRef)
    if (route.isRead || isRefusal(answer)) return deepStrictEqual(after, before)
    const placed = answer.status === 204 ? answer.headers.get('location')?.split('/').at(-1) : null
    await scene.isThere(placed ?? target.orderRef)
    // The next request needs an order in the route's state.
    if (JSON.stringify(after) === JSON.stringify(before)) return
    target = await scene.at(route.stage)
    before = await scene.seen(target.orderRef)
  }
}

/**
 * `shared`: the service on which all routes are fuzzed. A route that moves the clock gets a service
 * of its own.
 *
 * @throws fast-check's report of the first failure: its seed, its path, and the shrunk request.
 */
export const fuzzRoute = async (
  name: string,
  options: FuzzOptions,
  shared: Scene,
): Promise<void> => {
  const route = shared.routes[name]
  if (route === undefined) throw new Error(`There is no route ${name}.`)
  const movesTime = name.startsWith('POST /sandbox/clock/')
  const scene = movesTime ? await openScene() : shared
  const send = await watchRoute(scene, name, route)
  await fc.assert(fc.asyncProperty(faultsOf(route), send), options)
  if (movesTime) await scene.stop()
}

// Fuzzes one route of the running service: it sends requests drawn from a seed, checks each answer
// against the contract and the OpenAPI document, and checks that its order survives.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import { templateOf } from '../../../packages/server/src/api/docs/openapi/operation-object.ts'
import { conformityOf } from '../../end-to-end/openapi/conformity.ts'
import type { Target } from '../../end-to-end/stages.ts'
import { basic, DEMO, PERSON } from '../../harness/shop.ts'
import { type Answer, checkAnswer, isRefusal } from './answer-check.ts'
import { type Fuzzed, fuzzedRequest, initOf, isWrong, pathOf } from './fuzzed-request.ts'
import { hostilePath, type Json } from './hostile-input.ts'
import type { RouteCase, RouteCases } from './routes.ts'
import { openScene, type Scene } from './scene.ts'

type FuzzOptions = { readonly seed: number; readonly numRuns: number }

/** Not a route: any other path. */
export const ANY_PATH = 'ANY *'

const caseOf = (routes: RouteCases, method: string, path: string): RouteCase | undefined =>
  routes[`${method === 'HEAD' ? 'GET' : method} ${path}`]

/** A stream of events never ends, so it is closed unread. */
export const textOf = async (response: Response): Promise<string> => {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  await response.body?.cancel()
  return ''
}

const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: response.headers,
  text: await textOf(response),
})

// The identity in an accepted body, so that the same person finishes the checkout.
const identityIn = (fuzzed: Fuzzed): Json => {
  try {
    const body = JSON.parse(fuzzed.body.text) as Json
    return Object.fromEntries(Object.keys(PERSON).map((field) => [field, body[field]]))
  } catch {
    return {}
  }
}

const callsNobody = (fuzzed: Fuzzed): boolean =>
  !/notify_url":"|events_webhook":\{/.test(fuzzed.body.text)

const watchRequest = async (
  scene: Scene,
  name: string,
  route: RouteCase,
): Promise<(fuzzed: Fuzzed) => Promise<void>> => {
  const [method = '', path = ''] = name.split(' ')
  const conformity = conformityOf(scene.document)
  let target: Target = await scene.at(route.stage)
  let before = await scene.seen(target.orderRef)

  const renew = async (): Promise<void> => {
    target = await scene.at(route.stage)
    before = await scene.seen(target.orderRef)
  }

  const leave = async (orderRef: string, fuzzed: Fuzzed, mayCall: boolean): Promise<void> => {
    await scene.isThere(orderRef)
    const isIdentity = path.endsWith('/identification')
    if (fuzzed.isFollowed && !mayCall)
      await scene.finish(orderRef, isIdentity ? identityIn(fuzzed) : {})
  }

  const send = async (fuzzed: Fuzzed): Promise<void> => {
    const requestMethod = fuzzed.method ?? method
    const requestPath = pathOf(path, fuzzed, target)
    const answer = await answerOf(
      await scene.send(requestPath, initOf(fuzzed, requestMethod, route, target)),
    )
    const matchingRoute = caseOf(scene.routes, requestMethod, path)
    const asksForPage = fuzzed.headers.some(
      ([name, value]) => name === 'accept' && value.includes('text/html'),
    )
    checkAnswer(answer, { method: requestMethod, path, route: matchingRoute, asksForPage })
    if (matchingRoute !== undefined && isWrong(fuzzed, matchingRoute)) ok(isRefusal(answer))
    if (matchingRoute?.isDescribed && requestMethod !== 'HEAD')
      conformity.answers(requestMethod, templateOf(path), answer)
    strictEqual(scene.faults.splice(0).join('\n'), '')
    if (matchingRoute === undefined || matchingRoute.isRead || isRefusal(answer)) {
      deepStrictEqual(await scene.seen(target.orderRef), before)
      return
    }
    const placed =
      answer.status === 204 ? answer.headers.get('location')?.split('/').at(-1) : undefined
    if (placed !== undefined) return leave(placed, fuzzed, !callsNobody(fuzzed))
    const after = await scene.seen(target.orderRef)
    if (JSON.stringify(after) === JSON.stringify(before)) return
    await leave(target.orderRef, fuzzed, false)
    await renew()
  }

  return async (fuzzed) => {
    try {
      await send(fuzzed)
    } catch (cause) {
      // The next failing request, made smaller, must fail on a new order.
      await renew()
      throw cause
    }
  }
}

/** Runs it on a service with an order that must survive. Fails on an unhandled rejection. */
const withOrder = async (
  scene: Scene,
  mayExpire: boolean,
  use: () => Promise<void>,
): Promise<void> => {
  const rejected: unknown[] = []
  const reject = (cause: unknown): void => void rejected.push(cause)
  process.on('unhandledRejection', reject)
  try {
    const { orderRef } = await scene.at('confirming')
    await use()
    // An order expires within a day, and the clock may have moved by centuries.
    const ends = mayExpire ? ['finish', 'show_error'] : ['finish']
    ok(
      ends.includes(await scene.finish(orderRef)),
      'the order that was there from the beginning is lost',
    )
    const { orderRef: another } = await scene.at('confirming')
    strictEqual(await scene.finish(another), 'finish')
    deepStrictEqual(rejected, [])
  } finally {
    process.off('unhandledRejection', reject)
  }
}

const movesTime = (name: string): boolean => name.startsWith('POST /sandbox/clock/')

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
  if (name === ANY_PATH) return fuzzPaths(shared, options)
  const route = shared.routes[name]
  if (route === undefined) throw new Error(`There is no route ${name}.`)
  const [, template = ''] = name.split(' ')
  const mayExpire = movesTime(name)
  const scene = mayExpire ? await openScene() : shared
  try {
    await withOrder(scene, mayExpire, async () => {
      const send = await watchRequest(scene, name, route)
      await fc.assert(fc.asyncProperty(fuzzedRequest(template, route), send), options)
    })
  } finally {
    if (mayExpire) await scene.stop()
  }
}

const fuzzPaths = async (scene: Scene, options: FuzzOptions): Promise<void> => {
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS')
  const headers = {
    authorization: basic(DEMO.username, DEMO.password),
    'content-type': 'application/json',
  }
  await withOrder(scene, false, async () => {
    const { orderRef } = await scene.at('placed')
    const before = await scene.seen(orderRef)
    await fc.assert(
      fc.asyncProperty(methods, hostilePath, async (method, path) => {
        const body = method === 'GET' || method === 'HEAD' ? null : '{"order":{}}'
        const answer = await answerOf(await scene.send(path, { method, headers, body }))
        checkAnswer(answer, {
          method,
          path: new URL(`http://localhost${path}`).pathname,
          route: undefined,
        })
        strictEqual(scene.faults.splice(0).join('\n'), '')
        deepStrictEqual(await scene.seen(orderRef), before)
      }),
      options,
    )
  })
}

// Mounts routes and pages on one app, with what all of them share: preflights for routes that pages
// of any origin call, 405 for other methods of a known path, 404, and the answers to what is thrown.
// Each route gets the headers of its answers when the app is built. Adding headers to an answer
// afterwards costs more than the answer, so only pages do that.

import * as E from 'fp-ts/lib/Either.js'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import {
  type AnswerError,
  HandlerError,
  refuseOtherMethods,
  showThrown,
  type ToErrorPage,
  wantsPage,
} from './answers.ts'
import { limitBody } from './body.ts'
import { ANY_ORIGIN, addHeaders, answerHeaders, requireSameOrigin } from './browser-security.ts'
import { type KnownError, problem } from './problem.ts'
import type { Headers, Route, Send } from './route.ts'

type MountParts = {
  /** They know nothing of headers. If two have the same path, the first one counts. */
  readonly pages: readonly Hono[]
  /** Every URL that the server hands out starts with it. */
  readonly baseUrl: string
  /** True: browsers use only https for this address for a year. */
  readonly usesHsts: boolean
  readonly answerError: AnswerError
  readonly toErrorPage: ToErrorPage
  /** Runs before every route. It answers nothing itself. */
  readonly onRequest?: MiddlewareHandler | undefined
}

/** The beginnings of paths that pages of any origin may call, up to the first parameter. */
const openPrefixes = (routes: readonly Route[]): readonly string[] => [
  ...new Set(
    routes.flatMap(({ path, anyOrigin }) => (anyOrigin ? path.slice(0, path.indexOf(':')) : [])),
  ),
]

/**
 * The page in a shopper's browser is the shop's, so it has any origin. It sends no cookies.
 * Contract §2.
 */
const preflight = (c: Context, methods: readonly string[]): Response =>
  c.body(null, 204, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': [...methods, 'OPTIONS'].join(', '),
    'access-control-allow-headers':
      c.req.header('access-control-request-headers') ?? 'content-type',
    'access-control-max-age': '86400',
  })

/** What a handler threw. */
const errorOf = (thrown: unknown): E.Either<KnownError, never> => {
  if (thrown instanceof HandlerError) return E.left(thrown.error)
  throw thrown
}

const methodsOf = (routes: readonly Route[]): readonly string[] => [
  ...new Set(routes.map(({ method }) => method)),
]

const sendWith = (headers: Headers, status: Route['status']): Send => {
  const isEmpty = status === 204
  const all = isEmpty ? headers : { ...headers, 'content-type': 'application/json' }
  return {
    value: (value, more) =>
      new Response(isEmpty ? null : JSON.stringify(value), {
        status,
        headers: more === undefined ? all : { ...all, ...more },
      }),
    response: (response) => addHeaders(response, headers),
  }
}

export const mountRoutes = (app: Hono, routes: readonly Route[], parts: MountParts): void => {
  const { answerError, toErrorPage } = parts
  const closed = answerHeaders(parts.usesHsts)
  const open = { ...closed, ...ANY_ORIGIN }
  const prefixes = openPrefixes(routes)
  const isOpen = (path: string): boolean => prefixes.some((prefix) => `${path}/`.startsWith(prefix))
  const complete = (c: Context, answer: Response): Response =>
    addHeaders(answer, isOpen(c.req.path) ? open : closed)
  const completed =
    (middleware: MiddlewareHandler): MiddlewareHandler =>
    async (c, next) => {
      const refusal = await middleware(c, next)
      return refusal instanceof Response ? complete(c, refusal) : undefined
    }

  const mountRoute = ({
    method,
    path,
    status,
    limit,
    kibMax,
    anyOrigin,
    errors,
    run,
  }: Route): void => {
    const send = sendWith(anyOrigin ? open : closed, status)
    const before = [
      ...(limit === undefined ? [] : [limit]),
      ...(method === 'GET' ? [] : [limitBody(kibMax)]),
    ].map(completed)
    app.on([method], [path], ...before, async (c: Context): Promise<Response> => {
      const answer = await run(c, send).catch(errorOf)
      if (E.isRight(answer)) return answer.right
      const asProblem = answerError(c, answer.left)
      return send.response(errors?.(c, answer.left, asProblem) ?? asProblem)
    })
  }

  app.use('*', completed(requireSameOrigin(parts.baseUrl, isOpen)))
  if (parts.onRequest) app.use('*', parts.onRequest)
  for (const route of routes) mountRoute(route)
  for (const prefix of prefixes) {
    const methods = methodsOf(routes.filter(({ path }) => path.startsWith(prefix))).toSorted()
    app.options(`${prefix}*`, (c) => addHeaders(preflight(c, methods), closed))
  }
  app.use('*', async (c, next) => {
    await next()
    complete(c, c.res)
  })
  for (const each of parts.pages) app.route('/', each)
  refuseOtherMethods(app)
  app.notFound((c) =>
    wantsPage(c) ? toErrorPage(c, 404, 'Not found.') : problem(c, 404, 'Not found.'),
  )
  const answerThrown = showThrown(answerError, toErrorPage)
  app.onError(async (thrown, c) => complete(c, await answerThrown(thrown, c)))
}

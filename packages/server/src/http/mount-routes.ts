// Makes a Hono app of a list of routes: their handlers, the preflights of those that pages of any
// origin call, and 405 for every other method of a known path. Each route gets the headers of its
// answers here, when the app is built, because adding headers to an answer afterwards costs more
// than the answer.

import * as E from 'fp-ts/lib/Either.js'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { type AnswerError, showAsPage, type ToErrorPage } from './answers.ts'
import { limitBody } from './body.ts'
import { ANY_ORIGIN, addHeaders, answerHeaders, HAS_ALL_HEADERS } from './browser-security.ts'
import type { KnownError } from './problem.ts'
import type { Guard, Headers, Route, Send } from './route.ts'

type MountParts = {
  readonly usesHsts: boolean
  readonly answerError: AnswerError
  readonly toErrorPage: ToErrorPage
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
const preflight =
  (methods: readonly string[]) =>
  (c: Context): Response =>
    c.body(null, 204, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': [...new Set(methods)].sort().join(', '),
      'access-control-allow-headers':
        c.req.header('access-control-request-headers') ?? 'content-type',
      'access-control-max-age': '86400',
    })

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
  const headers = answerHeaders(parts.usesHsts)

  const showPage = showAsPage(toErrorPage)

  const showError = (
    c: Context,
    error: KnownError,
    errors: Route['errors'],
  ): Response | Promise<Response> => {
    const asProblem = answerError(c, error)
    if (errors === undefined) return asProblem
    return (errors === 'page' ? showPage : errors)(c, error, asProblem)
  }

  const mountGuard = ({ path, load }: Guard): void => {
    app.use(path, async (c, next) => {
      const outcome = await load(c)()
      if (E.isRight(outcome)) return next()
      return addHeaders(await showError(c, outcome.left, 'page'), headers)
    })
  }

  const mountRoute = (route: Route): void => {
    const { method, path, anyOrigin, limit, kibMax, limitsBody, run, status, errors } = route
    const send = sendWith(anyOrigin ? { ...headers, ...ANY_ORIGIN } : headers, status)
    const handler = async (c: Context): Promise<Response> => {
      const answer = await run(c, send)
      c.set(HAS_ALL_HEADERS, true)
      return E.isRight(answer)
        ? answer.right
        : send.response(await showError(c, answer.left, errors))
    }
    const before = [
      ...(limit === undefined ? [] : [limit]),
      ...(method === 'GET' || !limitsBody ? [] : [limitBody(kibMax)]),
    ].map((middleware) => withHeaders(middleware, send))
    app.on([method], [path], ...before, handler)
  }

  for (const guard of new Set(routes.flatMap(({ guard }) => guard ?? []))) mountGuard(guard)
  for (const route of routes) mountRoute(route)
  for (const prefix of openPrefixes(routes))
    app.options(
      `${prefix}*`,
      preflight([
        ...routes.flatMap(({ path, method }) => (path.startsWith(prefix) ? method : [])),
        'OPTIONS',
      ]),
    )
}

/** Completes what a middleware answers itself. */
const withHeaders =
  (middleware: MiddlewareHandler, send: Send): MiddlewareHandler =>
  async (c, next) => {
    const refusal = await middleware(c, next)
    return refusal instanceof Response ? send.response(refusal) : undefined
  }

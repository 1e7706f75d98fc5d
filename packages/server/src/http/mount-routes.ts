// Mounts routes and pages on one app, with what all of them share: preflights for routes that pages
// of any origin call, 405 for other methods of a known path, 404, and the answers to what is thrown.
// What a request must pass is decided here, when the app is built. Each route gets the headers of its
// answers then too: adding them to an answer afterwards costs more than the answer, so only pages do.
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
import { problem } from './problem.ts'
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

/**
 * The page in a shopper's browser is the shop's, so it has any origin. It sends no cookies.
 * Contract §2.
 */
const preflight = (c: Context, routes: readonly Route[]): Response => {
  const methods = [...new Set(routes.map(({ method }) => method))].toSorted()
  return c.body(null, 204, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': [...methods, 'OPTIONS'].join(', '),
    'access-control-allow-headers':
      c.req.header('access-control-request-headers') ?? 'content-type',
    'access-control-max-age': '86400',
  })
}

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
  const foreignOrigin = requireSameOrigin(parts.baseUrl)
  const openRoutes = routes.filter(({ anyOrigin }) => anyOrigin)
  /** The beginnings of the open routes' paths, up to the first parameter. */
  const prefixes = [...new Set(openRoutes.map(({ path }) => path.slice(0, path.indexOf(':'))))]
  const isOpen = (path: string): boolean => prefixes.some((prefix) => `${path}/`.startsWith(prefix))
  const complete = (c: Context, answer: Response): Response =>
    addHeaders(answer, isOpen(c.req.path) ? open : closed)

  const mountRoute = ({ method, path, status, limit, kibMax, anyOrigin, errors, run }: Route) => {
    const send = sendWith(anyOrigin ? open : closed, status)
    const checkBody = limitBody(kibMax)
    app.on([method], [path], async (c: Context): Promise<Response> => {
      try {
        const foreign = anyOrigin ? null : foreignOrigin(c)
        if (foreign !== null) throw new HandlerError(foreign)
        limit?.(c)
        if (method !== 'GET') await checkBody(c)
        return await run(c, send)
      } catch (thrown) {
        if (!(thrown instanceof HandlerError)) throw thrown
        const asProblem = answerError(c, thrown.error)
        return send.response(errors?.(c, thrown.error, asProblem) ?? asProblem)
      }
    })
  }

  if (parts.onRequest) app.use('*', parts.onRequest)
  for (const route of routes) mountRoute(route)
  for (const prefix of prefixes) {
    const under = openRoutes.filter(({ path }) => path.startsWith(prefix))
    app.options(`${prefix}*`, (c) => addHeaders(preflight(c, under), closed))
  }
  app.use('*', async (c, next) => {
    const foreign = isOpen(c.req.path) ? null : foreignOrigin(c)
    if (foreign === null) await next()
    return complete(c, foreign === null ? c.res : answerError(c, foreign))
  })
  for (const each of parts.pages) app.route('/', each)
  refuseOtherMethods(app)
  app.notFound((c) =>
    wantsPage(c) ? toErrorPage(c, 404, 'Not found.') : problem(c, 404, 'Not found.'),
  )
  const answerThrown = showThrown(answerError, toErrorPage)
  app.onError(async (thrown, c) => complete(c, await answerThrown(thrown, c)))
}

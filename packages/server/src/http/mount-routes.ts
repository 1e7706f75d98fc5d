// Mounts routes and pages on one app, with what all of them share: preflights for routes that pages
// of any origin call, 405 for other methods of a known path, 404, and the answers to what is thrown.
// The checks of each route are chosen here, when the app is built, and so are the headers of its
// answers: adding headers to a finished answer costs more than the answer, so only pages do it.
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { baseRoutePath } from 'hono/route'
import { ANY_ORIGIN, addHeaders, answerHeaders, requireSameOrigin } from './browser-security.ts'
import { problem, type ShowError, showThrown, type ToErrorPage, wantsPage } from './problem.ts'
import { BODY_WAS_READ } from './request.ts'
import type { Route } from './route.ts'

type MountParts = {
  /** They know nothing of headers. If two have the same path, the first one counts. */
  readonly pages: readonly Hono[]
  /** Every URL that the server hands out starts with it. */
  readonly baseUrl: string
  /** True: browsers use only https for this address for a year. */
  readonly usesHsts: boolean
  readonly showError: ShowError
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

/** Answers 405 to every other method of each path that the app has so far. */
const refuseOtherMethods = (app: Hono): void => {
  const routes = app.routes.filter(({ method, path }) => method !== 'ALL' && !path.endsWith('*'))
  for (const [path, those] of Map.groupBy(routes, ({ path }) => path)) {
    const methods = new Set(those.map(({ method }) => method))
    // HEAD is answered as GET.
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods].join(', ')
    app.all(path, (c) => problem(c, 405, `Method not allowed. Use one of: ${allow}.`, { allow }))
  }
}

export const mountRoutes = (app: Hono, routes: readonly Route[], parts: MountParts): void => {
  const { showError, toErrorPage } = parts
  const closed = answerHeaders(parts.usesHsts)
  const open = { ...closed, ...ANY_ORIGIN }
  const foreignOrigin = requireSameOrigin(parts.baseUrl)
  const openRoutes = routes.filter(({ anyOrigin }) => anyOrigin)
  /** The beginnings of the open routes' paths, up to the first parameter. */
  const prefixes = [...new Set(openRoutes.map(({ path }) => path.slice(0, path.indexOf(':'))))]
  const isOpen = (path: string): boolean => prefixes.some((prefix) => `${path}/`.startsWith(prefix))
  const complete = (c: Context, answer: Response): Response =>
    addHeaders(answer, isOpen(c.req.path) ? open : closed)

  if (parts.onRequest) app.use('*', parts.onRequest)
  for (const { method, path, anyOrigin, handlerWith } of routes) {
    const headers = anyOrigin ? open : closed
    app.on([method], [path], handlerWith({ headers, foreignOrigin, showError }))
  }
  for (const prefix of prefixes) {
    const under = openRoutes.filter(({ path }) => path.startsWith(prefix))
    app.options(`${prefix}*`, (c) => addHeaders(preflight(c, under), closed))
  }
  app.use('*', async (c, next) => {
    const foreign = isOpen(c.req.path) ? null : foreignOrigin(c)
    if (foreign === null) await next()
    return complete(c, foreign === null ? c.res : problem(c, 403, foreign))
  })
  for (const each of parts.pages) app.route('/', each)
  refuseOtherMethods(app)
  app.notFound((c) =>
    wantsPage(c) ? toErrorPage(c, 404, 'Not found.') : problem(c, 404, 'Not found.'),
  )
  const answerThrown = showThrown(showError, toErrorPage)
  app.onError(async (thrown, c) => complete(c, await answerThrown(thrown, c)))
}

const fetchWithoutPrefix = (
  c: Context,
  app: Hono,
  prefix: string,
): Response | Promise<Response> => {
  if (c.req.raw.bodyUsed) return problem(c, 400, BODY_WAS_READ)
  const url = new URL(c.req.url)
  url.pathname = url.pathname.slice(prefix.length) || '/'
  return app.fetch(new Request(url, c.req.raw), c.env)
}

/**
 * The app as another program gets it: `app.route('/prefix', plazo)` copies one route, which hands
 * all on without the prefix.
 */
export const mountable = (app: Hono): Hono => {
  const door = new Hono()
  door.all('*', (c) => fetchWithoutPrefix(c, app, baseRoutePath(c)))
  door.fetch = app.fetch
  return door
}

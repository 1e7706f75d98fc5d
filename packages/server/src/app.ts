// Builds the whole HTTP surface as one value, so that a test can call `.request(…)` on it without a
// socket.

import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes } from 'hono/route'
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'
import { checkoutPages, checkoutRoutes } from './checkout/routes.ts'
import { consoleRoutes } from './console/routes.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { referenceRoutes } from './docs/routes.ts'
import { healthRoutes, serviceRoutes } from './health/routes.ts'
import { merchantAccess, operatorAccess, orderAccess } from './http/access.ts'
import {
  allowedMethods,
  errorsAsPages,
  respondWith,
  type ToErrorPage,
  wantsPage,
} from './http/answers.ts'
import { requireSameOrigin, securityHeaders } from './http/browser-security.ts'
import type { JoinedExtension } from './http/extension.ts'
import { limitAccountReads } from './http/limits/concurrency-limit.ts'
import { createLogins } from './http/limits/logins.ts'
import { mountRoutes } from './http/mount-routes.ts'
import { errorPage } from './http/page/error.ts'
import { linksFromRoot } from './http/prefix.ts'
import { answerError, internalErrorDetail, problem } from './http/problem.ts'
import { accessBy, header, type Route, SAMPLE_ACCOUNTS } from './http/route.ts'
import type { AppParts, Services } from './http/services.ts'
import type { Log } from './log/log.ts'
import { machineRoutes } from './machine/routes.ts'
import { isWellKnownPassword } from './merchants/known-credentials.ts'
import { orderRoutes } from './orders/routes.ts'
import { identityPages, paymentPages, providerRoutes } from './providers/routes.ts'

/** The parts of every server. */
const routesOf = (services: Services): readonly Route[] => [
  ...checkoutRoutes(services),
  ...orderRoutes(services),
  ...deliveryRoutes(services),
  ...consoleRoutes(services),
  ...healthRoutes(services.readiness),
  ...serviceRoutes(services),
  ...paymentPages(services),
  ...identityPages(services),
  ...providerRoutes(services),
  ...checkoutPages(services),
  ...machineRoutes(services),
]

type Call = { readonly method: string; readonly path: string }

/** A route of an extension replaces the server's own of the same method and path. */
const withoutReplaced = (routes: readonly Route[], others: readonly Call[]): readonly Route[] => {
  const callOf = ({ method, path }: Call): string => `${method} ${path}`
  const replaced = new Set(others.map(callOf))
  return routes.filter((each) => !replaced.has(callOf(each)))
}

export const plazoApp = (
  parts: AppParts,
  extension: Pick<JoinedExtension, 'routes' | 'onRequest'>,
): Hono => {
  const { config, baseUrl, additions, log, errorReporter } = parts
  const usesHsts = !config.policy.allowsLocal && baseUrl.startsWith('https:')
  const app = new Hono({ router: createRouter() })
  const toErrorPage = errorPage(additions.frame)
  const services = createServices(parts, app, toErrorPage)

  app.use('/', linksFromRoot(baseUrl))
  if (config.logLevel === 'debug' || config.logLevel === 'trace') app.use('*', logRequests(log))
  app.use('*', securityHeaders({ usesHsts }))
  app.use('*', requireSameOrigin(baseUrl))
  for (const observe of extension.onRequest) app.use('*', observe)

  const added = extension.routes(services)
  const groups = added.filter((each): each is Hono => each instanceof Hono)
  const values = added.filter((each): each is Route => !(each instanceof Hono))
  const replacing = [...values, ...groups.flatMap((group) => group.routes)]
  const routes: readonly Route[] = [
    ...withoutReplaced(routesOf(services), replacing),
    ...values,
    ...referenceRoutes(
      services.setting,
      () => routes,
      () => app.routes,
      additions.frame,
    ),
  ]
  mountRoutes(app, routes, {
    usesHsts,
    answerError: services.answerError,
    toErrorPage,
  })
  for (const group of groups) app.route('/', group)

  for (const { path, refuse } of allowedMethods(app.routes)) app.all(path, refuse)
  app.notFound((c) =>
    wantsPage(c) ? toErrorPage(c, 404, 'Not found.') : problem(c, 404, 'Not found.'),
  )
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, error.status, error.message)
    return problem(c, 500, internalErrorDetail(errorReporter.report(error)))
  })
  return app
}

const createServices = (parts: AppParts, app: Hono, toErrorPage: ToErrorPage): Services => {
  const { config, baseUrl, host, additions, merchants, limits, addressOf, log, errorReporter } =
    parts
  const { names } = host.terms
  const logins = createLogins('merchant', { limit: limits.logins, log })
  // A command with other settings may have set it.
  const refusesPassword = (password: string): boolean =>
    config.policy.refusesKnownCredentials && isWellKnownPassword(password)
  const accessParts = {
    merchants,
    merchantHeader: names.merchantHeader,
    logins,
    addressOf,
    refusesPassword,
  }
  const access = merchantAccess({ ...accessParts, reads: limitAccountReads() })
  const streamAccess = merchantAccess({ ...accessParts, reads: async () => null })
  const operatorLogins = createLogins('operator', { limit: limits.logins, log })
  const merchantHeader = {
    [names.merchantHeader]: header(
      'One of the account’s merchants, if neither path nor body names one. Default: the first merchant.',
    ),
  }
  const ownOrder = orderAccess(host, access)
  const operator = operatorAccess(config.operatorPassword, operatorLogins, addressOf)
  const errors = answerError(errorReporter, `Basic realm="${names.service}", charset="UTF-8"`)
  return {
    ...parts,
    access,
    setting: { names, baseUrl, samples: additions.placeholders?.samples ?? SAMPLE_ACCOUNTS },
    byAccount: accessBy('merchant', access.account, merchantHeader),
    byMerchant: accessBy('merchant', (c) => access.merchant(c, c.req.param('ref') ?? null)),
    byOwner: accessBy('merchant', ownOrder, merchantHeader),
    streamAccess,
    byOperator: {
      ...accessBy('operator', () => TE.right(undefined)),
      guard: { path: '/console/*', load: operator },
    },
    operator,
    ownOrder,
    streamOrder: orderAccess(host, streamAccess),
    answerError: errors,
    respond: respondWith(errors),
    respondPage: respondWith(errorsAsPages(errors, toErrorPage)),
    callApp: async (path, init) => app.request(path, init),
  }
}

const MERCHANTS = '/merchants/'

/**
 * Finds a request's route with one regular expression. A tree accepts routes that no expression
 * can, but costs each request more than all other routing. Under /merchants a name and a parameter
 * are in the same place, so these routes need the tree.
 */
const createRouter = <T>(): Router<T> => {
  const [merchantRouter, otherRouter] = [new TrieRouter<T>(), new RegExpRouter<T>()]
  return {
    name: 'plazo',
    add: (method, path, handler) => {
      const isMerchantPath = path.startsWith(MERCHANTS)
      if (isMerchantPath || path === '*' || path === '/*') merchantRouter.add(method, path, handler)
      if (!isMerchantPath) otherRouter.add(method, path, handler)
    },
    match: (method, path) =>
      (path.startsWith(MERCHANTS) ? merchantRouter : otherRouter).match(method, path),
  }
}

/**
 * Logs each request: what kind it was and how long it took. It logs only the route's pattern,
 * because paths contain tokens and queries may contain anything.
 */
const logRequests =
  (log: Log): MiddlewareHandler =>
  async (c, next) => {
    const { method } = c.req
    const startedAt = performance.now()
    log('requested', { method })
    await next()
    log('answered', {
      method,
      // Handlers that cover several routes do not count. Null: no route matches.
      route: matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? null,
      order_ref: c.req.param('uuid') ?? null,
      status: c.res.status,
      duration_ms: performance.now() - startedAt,
    })
  }

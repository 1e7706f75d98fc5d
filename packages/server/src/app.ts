// Builds the whole HTTP surface as one value, so that a test can call `.request(…)` on it without a
// socket.

import { systemTimers } from '@plazo/adapters/system'
import { Hono, type MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { checkoutPages, checkoutRoutes } from './checkout/routes.ts'
import { consoleApp } from './console/app.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { referencePages } from './docs/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { merchantAccess, operatorAccess, orderAccess } from './http/access.ts'
import { type ClientAddress, clientAddress } from './http/client-address.ts'
import type { JoinedExtension } from './http/extension.ts'
import { limitAccountReads } from './http/limits/concurrency-limit.ts'
import { createLogins } from './http/limits/logins.ts'
import { noLimits, type RateLimits, rateLimits } from './http/limits/rate-limits.ts'
import { mountRoutes } from './http/mount-routes.ts'
import { errorPage } from './http/page/error.ts'
import { sdkFiles } from './http/page/sdk.ts'
import { linksFromRoot } from './http/prefix.ts'
import { answerError } from './http/problem.ts'
import { accessBy, header, type Route, SAMPLE_ACCOUNTS } from './http/route.ts'
import type { AppParts, Services } from './http/services.ts'
import { type EventStreams, eventStreams } from './live/event-stream.ts'
import type { Log } from './log/log.ts'
import { machinePages, machineRoutes } from './machine/routes.ts'
import { isWellKnownPassword } from './merchants/known-credentials.ts'
import { operatorRoutes } from './orders/operator-routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { identityPages, paymentPages, providerRoutes } from './providers/routes.ts'

/** The parts of every server. */
const routesOf = (services: Services): readonly Route[] => [
  ...checkoutRoutes(services),
  ...orderRoutes(services),
  ...deliveryRoutes(services),
  ...operatorRoutes(services),
  ...healthRoutes(services),
  ...providerRoutes(services),
  ...machineRoutes(services),
]

/** What people's browsers load. */
const pagesOf = (services: Services): readonly Hono[] => [
  sdkFiles(services),
  checkoutPages(services),
  machinePages(services),
  paymentPages(services),
  identityPages(services),
]

export type AppOptions = {
  /** Default: the limits of the mode. */
  readonly limits?: (addressOf: ClientAddress, log: Log) => RateLimits
}

/** `close` ends the streams of pages that follow an order. */
export const plazoApp = (
  parts: AppParts,
  extension: Pick<JoinedExtension, 'routes' | 'pages' | 'onRequest'>,
  options: AppOptions,
): { readonly app: Hono; readonly close: () => void } => {
  const { config, baseUrl, additions, log } = parts
  const app = new Hono()
  const streams = eventStreams(parts.timers)
  const services = createServices(parts, options, streams, async (path, init) =>
    app.request(path, init),
  )
  app.use('/', linksFromRoot(baseUrl))
  if (config.logLevel === 'debug' || config.logLevel === 'trace') app.use('*', logRequests(log))
  const routes = [...routesOf(services), ...extension.routes(services)]
  const answers = {
    usesHsts: !config.policy.allowsLocal && baseUrl.startsWith('https:'),
    answerError: services.answerError,
    toErrorPage: errorPage(additions.frame),
  }
  const pages = [
    ...extension.pages(services),
    ...pagesOf(services),
    referencePages(services.setting, routes, additions.frame),
    new Hono().route('/console', consoleApp(services, answers.toErrorPage)),
  ]
  mountRoutes(app, routes, { ...answers, pages, baseUrl, onRequest: extension.onRequest })
  return { app, close: streams.stop }
}

const createServices = (
  parts: AppParts,
  options: AppOptions,
  streams: EventStreams,
  callApp: Services['callApp'],
): Services => {
  const { config, baseUrl, host, additions, merchants, log, errorReporter } = parts
  const { names } = host.terms
  const addressOf = clientAddress(config.trustedProxies)
  const limitsOfMode = config.policy.limitsRates
    ? (of: ClientAddress) => rateLimits(of, log, systemTimers.monotonicNow)
    : () => noLimits
  const limits = (options.limits ?? limitsOfMode)(addressOf, log)
  const accessParts = {
    merchants,
    merchantHeader: names.merchantHeader,
    logins: createLogins('merchant', { limit: limits.logins, log }),
    addressOf,
    // A command with other settings may have set it.
    refusesPassword: (password: string): boolean =>
      config.policy.refusesKnownCredentials && isWellKnownPassword(password),
  }
  const access = merchantAccess({ ...accessParts, reads: limitAccountReads() })
  const streamAccess = merchantAccess({ ...accessParts, reads: async () => null })
  const operatorLogins = createLogins('operator', { limit: limits.logins, log })
  const { operator, operatorOr } = operatorAccess(config.operators, operatorLogins, addressOf)
  const challenge = `Basic realm="${names.service}", charset="UTF-8"`
  const parameters = {
    [names.merchantHeader]: header(
      'One of the account’s merchants, if neither path nor body names one. Default: the first merchant.',
    ),
  }
  return {
    ...parts,
    addressOf,
    limits,
    streams,
    callApp,
    answerError: answerError(errorReporter, challenge),
    setting: { names, baseUrl, samples: additions.placeholders?.samples ?? SAMPLE_ACCOUNTS },
    access,
    streamAccess,
    byAccount: accessBy('merchant', access.account, parameters),
    byMerchant: accessBy('merchant', (c) => access.merchant(c, c.req.param('ref') ?? null)),
    byOwner: accessBy('merchant', orderAccess(host, access), parameters),
    byStreamOwner: accessBy('merchant', orderAccess(host, streamAccess)),
    operator,
    operatorOr,
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

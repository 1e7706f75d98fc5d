// Builds the whole HTTP surface as one value, so that a test can call `.request(…)` on it without a
// socket.

import { systemTimers } from '@plazo/adapters/system'
import { Hono, type MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { checkoutPages, checkoutRoutes } from '../api/checkout/routes.ts'
import { deliveryRoutes } from '../api/deliveries/routes.ts'
import { referencePages } from '../api/docs/routes.ts'
import { healthRoutes } from '../api/health.ts'
import { machinePages, machineRoutes } from '../api/machine/routes.ts'
import { operatorRoutes } from '../api/orders/operator-routes.ts'
import { orderRoutes } from '../api/orders/routes.ts'
import { identityPages, paymentPages, providerRoutes } from '../api/providers/routes.ts'
import { consoleApp } from '../console/app.ts'
import { merchantAccess, operatorAccess, orderAccess } from '../http/access.ts'
import { limitAccountReads } from '../http/limits/concurrency-limit.ts'
import { createLogins } from '../http/limits/logins.ts'
import {
  type ClientAddress,
  clientAddress,
  noLimits,
  type RateLimits,
  rateLimits,
} from '../http/limits/rate-limits.ts'
import { mountRoutes } from '../http/mount-routes.ts'
import { errorPage, type PageFrame } from '../http/page/page.ts'
import { sdkFiles } from '../http/page/sdk.ts'
import { errorsShownBy } from '../http/problem.ts'
import { UUID } from '../http/request.ts'
import { accessBy, header } from '../http/route.ts'
import type { AppParts, Services } from '../http/services.ts'
import { type EventStreams, eventStreams } from '../http/stream.ts'
import type { Log } from '../log/log.ts'
import { isKnownPassword } from '../merchants/known-credentials.ts'
import { type LegalSettings, legalFrom } from '../settings/legal-settings.ts'

export type AppOptions = {
  /** Default: the limits of the mode. */
  readonly limits?: (addressOf: ClientAddress, log: Log) => RateLimits
  /** Said in place of the lender's settings that are missing. Default: no shopper is bound then. */
  readonly legal?: LegalSettings
  /** Additions to the pages. */
  readonly frame?: PageFrame
}

/** `close` ends the streams of pages that follow an order. */
export const plazoApp = (parts: AppParts, options: AppOptions) => {
  const streams = eventStreams(parts.timers)
  const answers = answersOf(parts, options.frame)
  const services: Services = { ...createServices(parts, options, streams), ...answers }
  const calls = [
    checkoutRoutes,
    orderRoutes,
    deliveryRoutes,
    operatorRoutes,
    healthRoutes,
    providerRoutes,
    machineRoutes,
  ].flatMap((routesOf) => routesOf(services))
  const pages = [sdkFiles, checkoutPages, machinePages, paymentPages, identityPages]
  const app = new Hono()
  mountRoutes(app, calls, {
    ...answers,
    pages: [
      ...pages.map((pagesOf) => pagesOf(services)),
      referencePages(services.setting, calls),
      new Hono().route('/console', consoleApp(services, answers.toErrorPage)),
    ],
  })
  return { app, calls, services, close: streams.stop }
}

/** How an app answers what is not a success. */
export const answersOf = (
  { config, baseUrl, log, errorReporter }: AppParts,
  frame: PageFrame | undefined,
) => ({
  baseUrl,
  usesHsts: !config.policy.allowsLocal && baseUrl.startsWith('https:'),
  showError: errorsShownBy(errorReporter, `Basic realm="${config.names.service}", charset="UTF-8"`),
  toErrorPage: errorPage(frame),
  onRequest:
    config.logLevel === 'debug' || config.logLevel === 'trace' ? logRequests(log) : undefined,
})

const createServices = (
  parts: AppParts,
  options: AppOptions,
  streams: EventStreams,
): Omit<Services, 'showError'> => {
  const { config, baseUrl, host, merchants, log } = parts
  const { names } = host.terms
  const addressOf = clientAddress(config.trustedProxies)
  const limitsOfMode = config.policy.limitsRates
    ? (of: ClientAddress) => rateLimits(of, log, systemTimers.monotonicNow)
    : () => noLimits
  const limits = (options.limits ?? limitsOfMode)(addressOf, log)
  const loginParts = { limit: limits.logins, addressOf, log }
  const accessParts = {
    merchants,
    merchantHeader: names.merchantHeader,
    logins: createLogins(loginParts),
    // A command with other settings may have set it.
    refusesPassword: (password: string): boolean =>
      config.policy.refusesKnownCredentials && isKnownPassword(password),
  }
  const access = merchantAccess({ ...accessParts, reads: limitAccountReads() })
  const { operator, operatorOr } = operatorAccess(config.operators, createLogins(loginParts))
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
    frame: options.frame,
    legal: legalFrom(config.legal, options.legal),
    setting: { names, baseUrl, shop: options.frame?.shop ?? 'https://shop.example' },
    access,
    byAccount: accessBy('merchant', access.account, parameters),
    byMerchant: accessBy('merchant', (c) => access.merchant(c, c.req.param('ref') ?? null)),
    byOwner: accessBy('merchant', orderAccess(host, access), parameters),
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
    // Only the route that was found has the parameter.
    const uuid = c.req.param('uuid') ?? ''
    log('answered', {
      method,
      // Handlers that cover several routes do not count. Null: no route matches.
      route: matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? null,
      order_ref: UUID.test(uuid) ? uuid : null,
      status: c.res.status,
      duration_ms: Math.round(performance.now() - startedAt),
    })
  }

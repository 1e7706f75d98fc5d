// Builds the whole HTTP surface as one value, so that a test can call `.request(…)` on it without a socket.

import { type FullHost, type MerchantGateway, type Merchants, type ProviderPort, sendExample } from '@plazo/core'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'
import { merchantAccess, operatorAccess, orderAccess, requireSameOrigin } from './http/access.ts'
import { limitAccountReads } from './http/limits/account-reads.ts'
import type { ClientAddress } from './http/limits/client-address.ts'
import { createLogins } from './http/limits/logins.ts'
import type { RateLimits } from './http/limits/rate-limits.ts'
import { answerError, internalErrorDetail, problem } from './http/problem.ts'
import { securityHeaders } from './http/security-headers.ts'
import { createErrorReporter } from './log/error-reporter.ts'
import type { Log } from './log/log.ts'
import type { Outage } from './log/outage.ts'
import { logRequests } from './log/request-log.ts'
import type { Metrics } from './metrics/prometheus.ts'
import { allowedMethods } from './routes/answers.ts'
import { checkoutRoutes, privacyRoutes } from './routes/checkout.ts'
import { consoleRoutes } from './routes/console.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { type HealthParts, healthRoutes, metricsRoutes } from './routes/health.ts'
import { identificationFormRoutes, scriptRoutes } from './routes/identification-form.ts'
import { merchantRoutes, paymentMethodRoutes } from './routes/merchants.ts'
import { orderRoutes, type UrlChecks } from './routes/orders.ts'
import { identityPages, paymentPages } from './routes/provider-pages.ts'
import { providerRoutes } from './routes/providers.ts'
import { referenceRoutes } from './routes/reference.ts'
import { demoRoutes, type Sandbox, sandboxRoutes } from './routes/sandbox.ts'
import { payRoutes, verifyRoutes } from './routes/sandbox-pages.ts'

const MERCHANTS = '/merchants/'

/**
 * Finds a request's route with one regular expression. A tree accepts routes that no expression can, but costs each request
 * more than all other routing. Under /merchants a name and a parameter are in the same place, so these routes need the tree.
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
    match: (method, path) => (path.startsWith(MERCHANTS) ? merchantRouter : otherRouter).match(method, path),
  }
}

type AppParts = {
  readonly host: FullHost
  readonly merchants: Merchants
  /** Messages and clock of a sandbox; null in production. */
  readonly sandbox: Sandbox | null
  /** True: a provider's own page replaces the sandbox's. */
  readonly usesProviderPage: { readonly payment: boolean; readonly identity: boolean }
  readonly portSecrets: (port: ProviderPort) => readonly string[]
  readonly baseUrl: string
  /** URL of the policy that the shopper reads. */
  readonly privacyPolicy: string
  readonly operatorPassword: string
  readonly urls: UrlChecks
  readonly gateway: MerchantGateway
  readonly readiness: HealthParts
  readonly metrics: Metrics
  readonly limits: RateLimits
  readonly addressOf: ClientAddress
  readonly log: Log
  readonly outage: Outage
  /** True: every request is logged. */
  readonly logsRequests: boolean
}

export const plazoApp = (parts: AppParts) => {
  const { host, merchants, sandbox, usesProviderPage, portSecrets, baseUrl, operatorPassword, urls, gateway } = parts
  const { readiness, metrics, limits, addressOf, log, outage } = parts
  const errorReporter = createErrorReporter(log)
  const { names } = host.terms
  const merchantLogins = createLogins('merchant', { limit: limits.logins, log })
  const access = merchantAccess({
    merchants,
    merchantHeader: names.merchantHeader,
    logins: merchantLogins,
    addressOf,
    reads: limitAccountReads(),
  })
  const operator = operatorAccess(operatorPassword, createLogins('operator', { limit: limits.logins, log }), addressOf)
  const errors = answerError(errorReporter, outage, `Basic realm="${names.service}", charset="UTF-8"`)
  const ownOrder = orderAccess(host, access)
  const example = sendExample({ ...host, gateway, checkUrl: urls.checkUrl })
  const app = new Hono({ router: createRouter() })
  if (parts.logsRequests) app.use('*', logRequests(log))
  app.use('*', securityHeaders({ usesHsts: sandbox === null && baseUrl.startsWith('https:') }))
  app.use('*', requireSameOrigin(baseUrl))
  app
    .route('/', checkoutRoutes(host, parts.privacyPolicy, limits, errors))
    .route('/', merchantRoutes(access, errors))
    .route('/', orderRoutes(host, access, ownOrder, baseUrl, urls, errors))
    .route('/', paymentMethodRoutes(access, ownOrder, errors))
    .route('/', deliveryRoutes(host, access, example, baseUrl, errors))
    .route('/', consoleRoutes(host, merchants, operator, errors))
    .route('/', healthRoutes(readiness))
    .route('/', metricsRoutes(metrics, errors))
    .route('/', scriptRoutes(names.service))
    .route('/', usesProviderPage.payment ? paymentPages(host, errors) : payRoutes(host, baseUrl, errors))
    .route('/', usesProviderPage.identity ? identityPages(host, errors) : verifyRoutes(host, errors))
    .route('/', providerRoutes(host, portSecrets, errors))
    .route('/', identificationFormRoutes({ host, ownOrder, baseUrl, privacyPolicy: parts.privacyPolicy }, errors))
    .route('/', privacyRoutes(names))
  if (sandbox !== null)
    app.route('/', sandboxRoutes(sandbox, errors)).route('/', demoRoutes(merchants, names, errorReporter, errors))
  app.route(
    '/',
    referenceRoutes({ names, baseUrl, isSandbox: sandbox !== null }, () => app.routes),
  )
  for (const { path, refuse } of allowedMethods(app.routes)) app.all(path, refuse)
  app.notFound((c) => problem(c, 404, 'Not found.'))
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, error.status, error.message)
    return problem(c, 500, internalErrorDetail(errorReporter.report(error)))
  })
  return app
}

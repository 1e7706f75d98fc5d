// Builds the whole HTTP surface as one value, so that a test can call `.request(…)` on it without a socket.
import { type Host, type MerchantGateway, type Merchants, type ProviderPort, sendExample } from '@plazo/core'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { limitAccountReads } from './limits/account-reads.ts'
import type { ClientAddress } from './limits/client-address.ts'
import { createLogins } from './limits/logins.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import { createErrorReporter } from './log/faults.ts'
import type { Log } from './log/log.ts'
import type { Outage } from './log/outage.ts'
import { logRequests } from './log/request-log.ts'
import { merchantAccess } from './merchant-access.ts'
import type { Metrics } from './metrics.ts'
import { operatorAccess } from './operator-access.ts'
import { orderAccess } from './own-order.ts'
import { requireSameOrigin } from './own-origin.ts'
import { answerError, internalErrorDetail, problem } from './problem.ts'
import { createRouter } from './router.ts'
import { allowedMethods } from './routes/answers.ts'
import { cardFormSdkRoutes } from './routes/card-form-sdk.ts'
import { checkoutRoutes } from './routes/checkout.ts'
import { consoleRoutes } from './routes/console.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { demoRoutes } from './routes/demo.ts'
import { healthRoutes, type Readiness } from './routes/health.ts'
import { identificationFormRoutes } from './routes/identification-form.ts'
import { merchantRoutes } from './routes/merchants.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { orderRoutes, type UrlChecks } from './routes/orders.ts'
import { payRoutes } from './routes/pay.ts'
import { paymentMethodRoutes } from './routes/payment-methods.ts'
import { privacyRoutes } from './routes/privacy.ts'
import { identityPages, paymentPages } from './routes/provider-pages.ts'
import { providerRoutes } from './routes/providers.ts'
import { referenceRoutes } from './routes/reference.ts'
import { type Sandbox, sandboxRoutes } from './routes/sandbox.ts'
import { verifyRoutes } from './routes/verify.ts'
import { securityHeaders } from './security-headers.ts'

type AppParts = {
  readonly host: Host
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
  readonly readiness: Readiness
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
    .route('/', cardFormSdkRoutes(names.service))
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
  app.notFound((c) => problem(c, 404, 'There is nothing at this path.'))
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, error.status, error.message)
    return problem(c, 500, internalErrorDetail(errorReporter.report(error)))
  })
  return app
}

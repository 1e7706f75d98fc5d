// Builds the whole HTTP surface as one value, so that a test can call `.request(…)` on it without a socket.

import {
  type ForkLinks,
  type FullHost,
  type MerchantGateway,
  type Merchants,
  type ProviderPort,
  sendExample,
} from '@plazo/core'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes } from 'hono/route'
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { TrieRouter } from 'hono/router/trie-router'
import { type Config, SANDBOX_OPERATOR_PASSWORD } from './config.ts'
import { merchantAccess, operatorAccess, orderAccess, orderOfMerchant } from './http/access.ts'
import { requireSameOrigin, securityHeaders } from './http/browser-security.ts'
import type { ClientAddress } from './http/limits/client-address.ts'
import { limitAccountReads } from './http/limits/concurrency-limit.ts'
import { createLogins } from './http/limits/logins.ts'
import type { RateLimits } from './http/limits/rate-limits.ts'
import { answerError, internalErrorDetail, problem } from './http/problem.ts'
import type { EventStreams } from './live/event-stream.ts'
import type { ErrorReporter } from './log/error-reporter.ts'
import type { Log } from './log/log.ts'
import { DEMO_MERCHANT } from './merchants/demo-merchant.ts'
import type { Metrics } from './metrics/prometheus.ts'
import { errorPage } from './pages/page.ts'
import { allowedMethods, refuseWithPage, wantsPage } from './routes/answers.ts'
import { checkoutRoutes, PRIVACY_PATH, privacyRoutes } from './routes/checkout.ts'
import { consoleRoutes } from './routes/console.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { demoOrderRoutes } from './routes/demo-orders.ts'
import { drillRoutes } from './routes/drills.ts'
import { forkRoutes } from './routes/forks.ts'
import { frontPageRoutes, iconRoutes } from './routes/front-page.ts'
import { hostedCheckoutRoutes, scriptRoutes } from './routes/hosted-checkout.ts'
import { listenRoutes } from './routes/listen.ts'
import { machineRoutes } from './routes/machine.ts'
import { merchantRoutes, paymentMethodRoutes } from './routes/merchants.ts'
import { orderRoutes, type UrlChecks } from './routes/orders.ts'
import { identityPages, paymentPages, providerRoutes } from './routes/providers.ts'
import { type SandboxControls, sandboxRoutes } from './routes/sandbox.ts'
import { payRoutes, verifyRoutes } from './routes/sandbox-pages.ts'
import { sandboxTools } from './routes/sandbox-tools.ts'
import { type HealthParts, healthRoutes, metricsRoutes, referenceRoutes } from './routes/service.ts'
import { timelineRoutes } from './routes/timeline.ts'
import { webhookInboxRoutes } from './routes/webhook-inbox.ts'
import { createStateRuns } from './sandbox/state-run.ts'
import type { SandboxWatch } from './sandbox/watch.ts'
import type { WebhookTools } from './sandbox/webhook-tools.ts'

type AppParts = {
  readonly config: Pick<Config, 'operatorPassword' | 'privacyPolicyUrl' | 'logLevel'>
  readonly baseUrl: string
  readonly host: FullHost
  readonly merchants: Merchants
  /** Messages, clock and records of a sandbox; null in production. */
  readonly sandbox:
    | (SandboxControls & { readonly watch: SandboxWatch; readonly tools: WebhookTools; readonly forks: ForkLinks })
    | null
  /** True: a provider's own page replaces the sandbox's. */
  readonly usesProviderPage: { readonly payment: boolean; readonly identity: boolean }
  readonly portSecrets: (port: ProviderPort) => readonly string[]
  readonly gateway: MerchantGateway
  readonly urls: UrlChecks
  readonly limits: RateLimits
  readonly addressOf: ClientAddress
  readonly readiness: HealthParts
  readonly metrics: Metrics
  readonly streams: EventStreams
  readonly log: Log
  readonly errorReporter: ErrorReporter
}

export const plazoApp = (parts: AppParts) => {
  const { config, baseUrl, host, merchants, sandbox, usesProviderPage, portSecrets, urls, limits, addressOf } = parts
  const { log, errorReporter } = parts
  const privacyPolicy = config.privacyPolicyUrl ?? `${baseUrl}${PRIVACY_PATH}`
  const { names } = host.terms
  const merchantLogins = createLogins('merchant', { limit: limits.logins, log })
  const accessParts = { merchants, merchantHeader: names.merchantHeader, logins: merchantLogins, addressOf }
  const access = merchantAccess({ ...accessParts, reads: limitAccountReads() })
  // A stream stays open for hours. It has a limit of its own.
  const unlimited = merchantAccess({ ...accessParts, reads: async () => null })
  const operatorLogins = createLogins('operator', { limit: limits.logins, log })
  const operator = refuseWithPage(operatorAccess(config.operatorPassword, operatorLogins, addressOf))
  const errors = answerError(errorReporter, `Basic realm="${names.service}", charset="UTF-8"`)
  const ownOrder = orderAccess(host, access)
  const example = sendExample({ ...host, gateway: parts.gateway, checkUrl: urls.checkUrl })
  const app = new Hono({ router: createRouter() })
  if (config.logLevel === 'debug' || config.logLevel === 'trace') app.use('*', logRequests(log))
  app.use('*', securityHeaders({ usesHsts: sandbox === null && baseUrl.startsWith('https:') }))
  app.use('*', requireSameOrigin(baseUrl))
  if (sandbox !== null) app.use('*', sandbox.watch.recordRequests)
  app
    .route('/', checkoutRoutes({ host, merchants, privacyPolicy, limits }, errors))
    .route('/', merchantRoutes(access, errors))
    .route('/', orderRoutes(host, access, ownOrder, baseUrl, urls, errors))
    .route('/', paymentMethodRoutes(access, ownOrder, errors))
    .route('/', deliveryRoutes(host, access, example, baseUrl, sandbox?.tools.drills ?? null, errors))
    .route('/', consoleRoutes(host, merchants, operator, errors))
    .route('/', healthRoutes(parts.readiness))
    .route('/', metricsRoutes(parts.metrics, errors))
    .route('/', scriptRoutes(names.service))
    .route('/', iconRoutes)
    .route('/', usesProviderPage.payment ? paymentPages(host, errors) : payRoutes(host, baseUrl, errors))
    .route('/', usesProviderPage.identity ? identityPages(host, errors) : verifyRoutes(host, errors))
    .route('/', providerRoutes(host, portSecrets, errors))
    .route('/', hostedCheckoutRoutes({ ownOrder, baseUrl }, errors))
    .route('/', privacyRoutes(names))
    .route(
      '/',
      machineRoutes(
        {
          host,
          streams: parts.streams,
          isOperator: operator,
          ownOrder: sandbox && orderAccess(host, unlimited),
          drills: sandbox?.tools.drills.cached ?? null,
        },
        errors,
      ),
    )
  if (sandbox !== null) {
    const { clock } = host
    const { inbox, drills, listeners, drillOf } = sandbox.tools
    const inboxParts = {
      inbox,
      drills: drills.cached,
      drillOf,
      merchants,
      names,
      baseUrl,
      clock,
      errorReporter,
      streams: parts.streams,
    }
    const timeline = {
      ...{ host, merchants, streams: parts.streams },
      ...{ records: sandbox.watch.records, messages: sandbox.watch.messages },
      ...{ ownOrder: orderAccess(host, unlimited), demoOrder: orderOfMerchant(host, DEMO_MERCHANT) },
    }
    app
      .route(
        '/',
        sandboxRoutes(
          sandbox,
          sandboxTools({ host, access, drills: drills.cached, messages: timeline.messages }),
          errors,
        ),
      )
      .route('/', webhookInboxRoutes({ ...inboxParts, access, streamAccess: unlimited }, errors))
      .route('/', drillRoutes(drills, access, errors))
      .route('/', listenRoutes(listeners, parts.streams, unlimited, errors))
      .route(
        '/',
        demoOrderRoutes(
          {
            ...{ host, merchants, baseUrl, urls },
            runToState: createStateRuns({
              call: async (path, init) => app.request(path, init),
              ...{ baseUrl, names, operatorPassword: config.operatorPassword },
            }),
          },
          errors,
        ),
      )
      .route('/', timelineRoutes(timeline, errors))
      .route('/', forkRoutes({ host, links: sandbox.forks, baseUrl, ownOrder, demoOrder: timeline.demoOrder }, errors))
      .route(
        '/',
        frontPageRoutes({
          baseUrl,
          isConsoleOpen: config.operatorPassword === SANDBOX_OPERATOR_PASSWORD,
          drills: drills.cached,
        }),
      )
  }
  app.route(
    '/',
    referenceRoutes({ names, baseUrl, isSandbox: sandbox !== null }, () => app.routes),
  )
  for (const { path, refuse } of allowedMethods(app.routes)) app.all(path, refuse)
  app.notFound((c) => (wantsPage(c) ? errorPage(c, 404, 'Not found.') : problem(c, 404, 'Not found.')))
  app.onError((error, c) => {
    if (error instanceof HTTPException) return problem(c, error.status, error.message)
    return problem(c, 500, internalErrorDetail(errorReporter.report(error)))
  })
  return app
}

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

/** The route's pattern; null if no route matches. Handlers that cover several routes do not count. */
const routePattern = (c: Context): string | null =>
  matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? null

/**
 * Logs each request: what kind it was and how long it took. It logs only the route's pattern, because paths contain tokens and
 * queries may contain anything.
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
      route: routePattern(c),
      order_ref: c.req.param('uuid') ?? null,
      status: c.res.status,
      duration_ms: performance.now() - startedAt,
    })
  }

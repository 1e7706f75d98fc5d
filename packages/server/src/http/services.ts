// All groups of routes are made from this one record, so that app.ts is a list of them. Each group
// takes what it needs.
import type { CheckUrl, ForkLinks, FullHost, Order } from '@plazo/core'
import type { FullStore, Merchant, MerchantGateway, Merchants } from '@plazo/core/ports'
import type { ProviderPort } from '@plazo/core/protocol'
import type { Config } from '../boot/config.ts'
import type { EventStreams } from '../live/event-stream.ts'
import type { ErrorReporter } from '../log/error-reporter.ts'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../metrics/prometheus.ts'
import type { TestClockControl } from '../sandbox/clock/test-clock.ts'
import type { SandboxWatch } from '../sandbox/watch.ts'
import type { WebhookTools } from '../sandbox/webhooks/webhook-tools.ts'
import type { Account, MerchantAccess, OrderAccess } from './access.ts'
import type { AnswerError, Respond } from './answers.ts'
import type { ClientAddress } from './client-address.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { Access, Setting } from './route.ts'

/** The adapters that compose/ has chosen. */
export type AppParts = {
  readonly config: Pick<
    Config,
    'mode' | 'names' | 'legal' | 'operatorPassword' | 'privacyPolicyUrl' | 'logLevel'
  >
  /** Every URL that the server hands out starts with it. */
  readonly baseUrl: string
  readonly host: FullHost
  readonly merchants: Merchants
  /** Null in production. */
  readonly sandbox: Sandbox | null
  /** True: a provider's own page replaces the sandbox's. */
  readonly usesProviderPage: { readonly payment: boolean; readonly identity: boolean }
  readonly portSecrets: (port: ProviderPort) => readonly string[]
  readonly gateway: MerchantGateway
  readonly urls: UrlChecks
  readonly limits: RateLimits
  readonly addressOf: ClientAddress
  readonly readiness: Pick<FullStore, 'takesWrites'> & { readonly isDispatching: () => boolean }
  readonly metrics: Metrics
  readonly streams: EventStreams
  readonly log: Log
  readonly errorReporter: ErrorReporter
}

/**
 * The checks that a merchant's URLs must pass: those that plazo calls, and those that a shopper is
 * sent to.
 */
export type UrlChecks = {
  readonly checkUrl: CheckUrl
  readonly checkPage: CheckUrl
  /**
   * Looks up host names before the check, if `checkUrl` also judges the addresses of names; null if
   * it does not.
   */
  readonly resolveHosts: ((merchantRef: string, urls: readonly string[]) => Promise<void>) | null
}

export type SandboxControls = {
  readonly messages: SandboxWatch['messages']
  readonly time: TestClockControl
}

type Sandbox = SandboxControls & {
  readonly watch: SandboxWatch
  readonly tools: WebhookTools
  readonly forks: ForkLinks
}

/** The adapters, and what app.ts derives from them. */
export type Services = AppParts & {
  readonly access: MerchantAccess
  readonly setting: Setting
  readonly byAccount: Access<Account>
  /** The merchant that the path names. */
  readonly byMerchant: Access<Merchant>
  /** An order of the calling account. */
  readonly byOwner: Access<Order>
  /**
   * The same for streams. They stay open for hours, so they do not count as reads of the account,
   * but have their own limit.
   */
  readonly streamAccess: MerchantAccess
  /** The console is the operator's. */
  readonly byOperator: Access<undefined>
  /** The operator's credentials. */
  readonly operator: Access<undefined>['load']
  /** An order of the calling account. */
  readonly ownOrder: OrderAccess
  /** The same for streams. */
  readonly streamOrder: OrderAccess
  readonly answerError: AnswerError
  /** Every client gets an error as a problem. */
  readonly respond: Respond
  /** A browser gets an error as a page, every other client as a problem. */
  readonly respondPage: Respond
  /** Calls this app without a socket. */
  readonly callApp: (path: string, init: RequestInit) => Promise<Response>
}

export type SandboxServices = Services & {
  readonly sandbox: Sandbox
  /** An order of the demo merchant, for everybody. */
  readonly demoOrder: OrderAccess
}

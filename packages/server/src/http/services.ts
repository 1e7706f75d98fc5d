// The routes of all features are made from one record, so that none asks where its parts come from.
import type { Dispatcher } from '@plazo/adapters/internal/host'
import type { Timers } from '@plazo/adapters/internal/system'
import type {
  CheckUrl,
  FullHost,
  Legal,
  Merchant,
  MerchantGateway,
  Merchants,
  Order,
  ProviderPort,
  Records,
  ShopperErasure,
} from '@plazo/core/internal'
import type { ProviderWatch } from '../background/provider-watch.ts'
import type { ErrorReporter } from '../log/error-reporter.ts'
import type { Log } from '../log/log.ts'
import type { Config } from '../settings/config.ts'
import type { Account, MerchantAccess, OperatorAccess } from './access.ts'
import type { ClientAddress, RateLimits } from './limits/rate-limits.ts'
import type { PageFrame } from './page/page.ts'
import type { ShowError } from './problem.ts'
import type { Access, Setting } from './route.ts'
import type { EventStreams } from './stream.ts'

/** The adapters that compose/ has chosen. */
export type AppParts = {
  readonly config: Config
  /** Every URL that the server hands out starts with it. */
  readonly baseUrl: string
  readonly host: FullHost
  readonly merchants: Merchants
  readonly erasure: ShopperErasure
  readonly records: Records
  readonly portSecrets: (port: ProviderPort) => readonly string[]
  readonly gateway: MerchantGateway
  readonly urls: UrlChecks
  readonly takesWrites: () => Promise<boolean>
  /** Null: no process starts jobs. */
  readonly lease: () => Promise<object | null>
  readonly timers: Timers
  /** For a clock that is moved from one due job to the next. */
  readonly dispatcher: Dispatcher
  readonly metrics: {
    readonly contentType: string
    readonly scrape: () => Promise<string>
  }
  readonly log: Log
  readonly errorReporter: ErrorReporter
  readonly providerWatch: ProviderWatch
}

/**
 * The checks that a merchant's URLs must pass: those that plazo calls, and those that a shopper is
 * sent to.
 */
type UrlChecks = {
  readonly checkUrl: CheckUrl
  readonly checkPage: CheckUrl
}

/** What the routes of features are made of: the parts, and the accesses that most of them use. */
export type Services = AppParts & {
  readonly setting: Setting
  readonly showError: ShowError
  readonly access: MerchantAccess
  readonly byAccount: Access<Account>
  /** The merchant that the path names. */
  readonly byMerchant: Access<Merchant>
  /** An order of the calling account. */
  readonly byOwner: Access<Order>
  readonly operator: OperatorAccess['operator']
  readonly operatorOr: OperatorAccess['operatorOr']
  readonly limits: RateLimits
  readonly addressOf: ClientAddress
  readonly streams: EventStreams
  readonly frame: PageFrame | undefined
  /** Who lends, as shoppers read it. */
  readonly legal: Legal
}

// Chooses the adapter behind each port. Only compose-deciders.ts (the deciders) and open-home.ts (the store) do the same.
import {
  addressGuard,
  createDnsPrecheck,
  type MerchantGatewayOptions,
  merchantGateway,
  threadedGateway,
} from '@plazo/adapters/http'
import { createTestClock, SANDBOX_CODE, sandboxProviders } from '@plazo/adapters/sandbox'
import { systemIds, systemTimers, type Timers } from '@plazo/adapters/system'
import {
  type Clock,
  executeEffect,
  type Host,
  type Ids,
  type Merchants,
  type Providers,
  type Store,
  settleEntry,
  type Terms,
  type Unavailable,
} from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { alerting } from './alerts.ts'
import { plazoApp } from './app.ts'
import { composeDeciders, portSecretsFrom } from './compose-deciders.ts'
import { type Config, databaseName } from './config.ts'
import { openFilesLimit, socketsWithin } from './deliveries/open-files.ts'
import { slowMerchantsAlert } from './deliveries/slow-merchants-alert.ts'
import { addDemoMerchant, DEMO_IN_PRODUCTION, hasDemoMerchant } from './demo-merchant.ts'
import { type Dispatcher, type DispatcherParts, startDispatcher } from './dispatcher.ts'
import { type ClientAddress, clientAddress } from './limits/client-address.ts'
import { type RateLimits, rateLimits, unlimited } from './limits/rate-limits.ts'
import { linksFrom } from './links.ts'
import { entryFields, type Log } from './log/log.ts'
import { outageTo } from './log/outage.ts'
import { prometheus } from './metrics.ts'
import { type OpenHomeOptions, openHome } from './open-home.ts'
import { repeating } from './repeating.ts'
import { startRetention } from './retention.ts'
import { PRIVACY_PATH } from './routes/privacy.ts'
import { sandboxMessages } from './sandbox-messages.ts'
import { sandboxTime } from './sandbox-time.ts'

export type Hooks = Pick<OpenHomeOptions, 'onCommit' | 'threadAfterJobs' | 'database' | 'patience'> &
  Pick<MerchantGatewayOptions, 'sendRequest'> &
  Pick<DispatcherParts, 'onMoment' | 'lease'> & {
    /** Default: the limits of the mode. */
    readonly limits?: (addressOf: ClientAddress, log: Log) => RateLimits
    /** A simulation's timers, instead of the machine's own. */
    readonly timers?: Timers
    readonly ids?: Ids
    readonly store?: (own: Store) => Store
    /** Replaces the deciders that the settings name. */
    readonly deciders?: (own: Providers) => Providers
    /** Real milliseconds between two passes that delete old data. */
    readonly retainEvery?: number
  }

export type Plazo = {
  readonly app: ReturnType<typeof plazoApp>
  /** Finishes the work in flight and waits for `answered` (the last request's answer), at most 30 s. Then closes everything. */
  readonly stop: (answered?: Promise<void>) => Promise<void>
}

const DRAIN = 30_000
// Milliseconds to wait for a database that starts together with this server.
const PATIENCE = 30_000
// As often as the dispatcher polls for due jobs.
const CATCH_UP = 1_000
// In a burst, shoppers are answered first: the work that their requests cause follows in small batches.
const OTHER_WORK = 32

const refuseDemoMerchant = async (merchants: Merchants): Promise<void> => {
  const { says, todo } = DEMO_IN_PRODUCTION
  if (await hasDemoMerchant(merchants)) throw new Error(`${says}. ${todo}`)
}

const within = (millis: number, work: Promise<void>): Promise<void> =>
  Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, millis).unref())])

const orThrow = <A>({ database }: Config, task: TE.TaskEither<Unavailable, A>): Promise<A> =>
  pipe(
    task,
    TE.getOrElse(({ message }) => {
      throw new Error(`${databaseName(database)}: ${message}. \`plazo doctor\` says what is wrong with it.`)
    }),
  )()

type CourierOptions = Pick<Hooks, 'timers' | 'sendRequest'> &
  Pick<MerchantGatewayOptions, 'connectionsMax' | 'onActivity'> & {
    /** True: in a separate thread, which uses neither the given timers nor a given network. */
    readonly isBeside: boolean
  }

/** Builds the gateway that calls merchants, and the checks that refuse URLs which it must not call. */
export const courierFrom = (
  { mode, names, webhookAllow }: Config,
  merchants: Merchants,
  clock: Clock,
  { timers = systemTimers, sendRequest, isBeside, connectionsMax, onActivity }: CourierOptions,
) => {
  const called = { mode, allow: webhookAllow }
  const guard = addressGuard(called)
  const { realNow } = timers
  const signed = {
    names,
    secretsOf: (ref: string) => merchants.liveSecrets(ref, clock.now()),
    realNow,
    ...(connectionsMax && { connectionsMax }),
    ...(onActivity && { onActivity }),
  }
  const gateway = isBeside
    ? threadedGateway({ ...signed, guard: called })
    : merchantGateway({ ...signed, guard, timers, ...(sendRequest && { sendRequest }) })
  const hosts =
    mode === 'production' && !sendRequest ? createDnsPrecheck(guard) : { checkUrl: guard.checkUrl, resolveHosts: null }
  return { gateway, ...hosts, checkPage: guard.checkPage }
}

/** `baseUrl`: where this server is reached; every URL that it hands out starts with it. */
export const compose = async (config: Config, baseUrl: string, log: Log, hooks: Hooks = {}): Promise<Plazo> => {
  const { timers = systemTimers, ids = systemIds } = hooks
  const home = await openHome(config, { patience: PATIENCE, ...hooks, onWaiting: () => log('awaiting_database', {}) })
  const store = hooks.store?.(home.store) ?? home.store
  const sandboxClock =
    config.mode === 'sandbox'
      ? await orThrow(config, createTestClock(home.sandboxStore, { realNow: home.clock.now }))
      : null
  const clock = sandboxClock ?? home.clock
  if (config.mode === 'sandbox') await addDemoMerchant(home.merchants)
  else await refuseDemoMerchant(home.merchants)
  await orThrow(config, home.keyRotation.markInUse())
  const portSecrets = portSecretsFrom(home.keyring.map(({ key }) => key.export()))
  const own = config.mode === 'sandbox' ? sandboxProviders(home.sandboxStore) : null
  const composed = composeDeciders(config, baseUrl, portSecrets, own)
  let dispatcher: Dispatcher | null = null
  const sockets = socketsWithin(config.webhookSockets, openFilesLimit())
  if (sockets < config.webhookSockets) log('sockets_limited', { count: sockets })
  const { gateway, ...urls } = courierFrom(config, home.merchants, clock, {
    ...hooks,
    connectionsMax: sockets,
    onActivity: (attempt, activity) => dispatcher?.noteActivity(attempt, activity),
    isBeside: !hooks.timers && !hooks.sendRequest,
  })
  const terms: Terms = {
    rules: {
      screeningWindow: config.screeningWindow,
      otpLifetime: config.otpLifetime,
      checkoutLifetime: config.checkoutLifetime,
      masterCode: config.mode === 'sandbox' ? SANDBOX_CODE : null,
    },
    links: linksFrom(baseUrl),
    names: config.names,
  }

  const addressOf = clientAddress(config.trustedProxies)
  const limits =
    hooks.limits ??
    ((from: ClientAddress, to: Log) =>
      config.mode === 'production' ? rateLimits(from, to, () => performance.now()) : unlimited)
  const deciders = hooks.deciders?.(composed.deciders) ?? composed.deciders
  const metrics = prometheus(store, clock, () => dispatcher?.slowness() ?? { waiting: 0, merchants: [] })
  const alerts = alerting(store, log)
  const outage = outageTo(log, timers.monotonicNow, home.isReachable)
  const host: Host = {
    store: metrics.counting(store),
    clock,
    ids,
    terms,
  }
  const dispatching = {
    drain: () => dispatcher?.drain() ?? Promise.resolve(),
    inFlight: () => dispatcher?.inFlight() ?? 0,
    isRunning: () => dispatcher?.isRunning() ?? true,
  }
  const sandbox = sandboxClock && {
    // Messages that a provider sends never appear among the sandbox's own.
    messages: config.providers.sms
      ? home.sandboxStore.messages
      : sandboxMessages({ store, shelf: home.sandboxStore, clock, timers }),
    time: sandboxTime(sandboxClock, store, dispatching),
  }
  dispatcher = startDispatcher({
    store,
    clock,
    executeEffect: metrics.timing(
      executeEffect({ deciders, gateway, clock, realNow: timers.realNow }, config.webhookJitter),
    ),
    settle: settleEntry(host),
    limits: {
      deliveries: config.webhookConcurrency,
      work: OTHER_WORK + composed.inFlightMax,
      perMerchant: config.webhookPerMerchant,
      sockets,
    },
    onSettled: (entry, result, settled) => {
      sandbox?.time.note(entry)
      metrics.settled(entry, result, settled)
      void alerts.settled(entry, result, settled)
      log('settled', entryFields(entry))
    },
    onTrouble: (message, entry, thrown) => {
      if (entry === null) outage.unavailable(message)
      else if (thrown === undefined) log('entry_failed', { ...entryFields(entry), reason: message })
      else log('entry_faulted', { ...entryFields(entry), thrown })
    },
    onSlow: slowMerchantsAlert(log),
    onClaimed: () => void outage.answered(),
    timers,
    ...(hooks.onMoment && { onMoment: hooks.onMoment }),
    ...(hooks.lease && { lease: hooks.lease }),
  })
  const running = dispatcher
  const retention = startRetention({
    store,
    clock,
    retain: config.retain,
    timers,
    ...(hooks.retainEvery && { every: hooks.retainEvery }),
    onDropped: (what, count) => log(`${what}_dropped`, { count }),
    onTrouble: (reason) => log('nothing_dropped', { reason }),
  })
  // Another server may move the clock that all of them share.
  const catchingUp = sandboxClock && repeating(timers, CATCH_UP, sandboxClock.catchUp)

  return {
    app: plazoApp({
      host,
      merchants: home.merchants,
      sandbox,
      leadsOn: composed.leadsOn,
      portSecrets,
      baseUrl,
      privacyPolicy: config.privacyPolicyUrl ?? `${baseUrl}${PRIVACY_PATH}`,
      operatorPassword: config.operatorPassword,
      urls,
      gateway,
      metrics,
      readiness: { isDatabaseReachable: home.isReachable, isDispatching: running.isRunning },
      limits: limits(addressOf, log),
      addressOf,
      log,
      outage,
      logsRequests: config.logLevel === 'debug' || config.logLevel === 'trace',
    }),
    stop: async (answered = Promise.resolve()) => {
      catchingUp?.stop()
      await Promise.all([running.stop(DRAIN), retention.stop(), within(DRAIN, answered)])
      gateway.close()
      composed.close()
      await home.close()
    },
  }
}

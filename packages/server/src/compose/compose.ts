// Chooses the adapter behind each port. Only providers.ts (the providers) and storage.ts (the store) do the same.
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
  completeJob,
  executeEffect,
  type FullHost,
  type FullStore,
  type Ids,
  type Merchants,
  type Providers,
  type Terms,
  type Unavailable,
} from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { plazoApp } from '../app.ts'
import { createAlerts, createSlowMerchantsAlert } from '../background/alerts.ts'
import { limitSockets, readOpenFilesLimit } from '../background/delivery-admission.ts'
import { type Dispatcher, type DispatcherParts, startDispatcher } from '../background/dispatcher.ts'
import { startRetention } from '../background/retention.ts'
import { createSandboxMessages } from '../background/sandbox-messages.ts'
import { controlTestClock, startInterval } from '../background/test-clock.ts'
import { type Config, databaseName } from '../config.ts'
import { type ClientAddress, clientAddress } from '../http/limits/client-address.ts'
import { noLimits, type RateLimits, rateLimits } from '../http/limits/rate-limits.ts'
import { linksFrom } from '../http/links.ts'
import { jobFields, type Log } from '../log/log.ts'
import { createOutage } from '../log/outage.ts'
import { addDemoMerchant, DEMO_IN_PRODUCTION, hasDemoMerchant } from '../merchants/demo-merchant.ts'
import { createMetrics } from '../metrics/prometheus.ts'
import { PRIVACY_PATH } from '../routes/checkout.ts'
import { composeProviders, portSecretsFrom } from './providers.ts'
import { type OpenStorageOptions, openStorage } from './storage.ts'

export type TestSeams = Pick<OpenStorageOptions, 'onCommit' | 'threadAfterJobs' | 'database' | 'patience'> &
  Pick<MerchantGatewayOptions, 'sendRequest'> &
  Pick<DispatcherParts, 'onMoment' | 'lease'> & {
    /** Default: the limits of the mode. */
    readonly limits?: (addressOf: ClientAddress, log: Log) => RateLimits
    /** A simulation's timers, instead of the machine's own. */
    readonly timers?: Timers
    readonly ids?: Ids
    readonly store?: (own: FullStore) => FullStore
    /** Replaces the providers that the settings name. */
    readonly providers?: (own: Providers) => Providers
    /** Real milliseconds between two passes that delete old data. */
    readonly retainEvery?: number
  }

export type Plazo = {
  readonly app: ReturnType<typeof plazoApp>
  /** Finishes the work in flight and waits for `answered` (the last request's answer), at most 30 s. Then closes everything. */
  readonly stop: (answered?: Promise<void>) => Promise<void>
}

const DRAIN_TIMEOUT = 30_000
// Milliseconds to wait for a database that starts together with this server.
const DATABASE_WAIT = 30_000
// As often as the dispatcher polls for due jobs.
const CLOCK_SYNC_INTERVAL = 1_000
// In a burst, shoppers are answered first: the work that their requests cause follows in small batches.
const INTERNAL_JOBS_MAX = 32

const refuseDemoMerchant = async (merchants: Merchants): Promise<void> => {
  const { says, todo } = DEMO_IN_PRODUCTION
  if (await hasDemoMerchant(merchants)) throw new Error(`${says}. ${todo}`)
}

const waitAtMost = (millis: number, work: Promise<void>): Promise<void> =>
  Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, millis).unref())])

const orThrow = <A>({ database }: Config, task: TE.TaskEither<Unavailable, A>): Promise<A> =>
  pipe(
    task,
    TE.getOrElse(({ message }) => {
      throw new Error(`${databaseName(database)}: ${message}. \`plazo doctor\` says what is wrong with it.`)
    }),
  )()

type WebhookSenderOptions = Pick<TestSeams, 'timers' | 'sendRequest'> &
  Pick<MerchantGatewayOptions, 'connectionsMax' | 'onActivity'> & {
    /** True: in a separate thread, which uses neither the given timers nor a given network. */
    readonly isThreaded: boolean
  }

/** Builds the gateway that calls merchants, and the checks that refuse URLs which it must not call. */
export const createWebhookSender = (
  { mode, names, webhookAllow }: Config,
  merchants: Merchants,
  clock: Clock,
  { timers = systemTimers, sendRequest, isThreaded: isBeside, connectionsMax, onActivity }: WebhookSenderOptions,
) => {
  const guardOptions = { mode, allow: webhookAllow }
  const guard = addressGuard(guardOptions)
  const { realNow } = timers
  const gatewayOptions = {
    names,
    secretsOf: (ref: string) => merchants.liveSecrets(ref, clock.now()),
    realNow,
    ...(connectionsMax && { connectionsMax }),
    ...(onActivity && { onActivity }),
  }
  const gateway = isBeside
    ? threadedGateway({ ...gatewayOptions, guard: guardOptions })
    : merchantGateway({ ...gatewayOptions, guard, timers, ...(sendRequest && { sendRequest }) })
  const hosts =
    mode === 'production' && !sendRequest ? createDnsPrecheck(guard) : { checkUrl: guard.checkUrl, resolveHosts: null }
  return { gateway, ...hosts, checkPage: guard.checkPage }
}

/** `baseUrl`: where this server is reached; every URL that it hands out starts with it. */
export const compose = async (config: Config, baseUrl: string, log: Log, seams: TestSeams = {}): Promise<Plazo> => {
  const { timers = systemTimers, ids = systemIds } = seams
  const storage = await openStorage(config, {
    patience: DATABASE_WAIT,
    ...seams,
    onWaiting: () => log('awaiting_database', {}),
  })
  const store = seams.store?.(storage.store) ?? storage.store
  const sandboxClock =
    config.mode === 'sandbox'
      ? await orThrow(config, createTestClock(storage.sandboxStore, { realNow: storage.clock.now }))
      : null
  const clock = sandboxClock ?? storage.clock
  if (config.mode === 'sandbox') await addDemoMerchant(storage.merchants)
  else await refuseDemoMerchant(storage.merchants)
  await orThrow(config, storage.keyRotation.markInUse())
  const portSecrets = portSecretsFrom(storage.keyring.map(({ key }) => key.export()))
  const own = config.mode === 'sandbox' ? sandboxProviders(storage.sandboxStore) : null
  const composed = composeProviders(config, baseUrl, portSecrets, own)
  let dispatcher: Dispatcher | null = null
  const sockets = limitSockets(config.webhookSockets, readOpenFilesLimit())
  if (sockets < config.webhookSockets) log('sockets_limited', { count: sockets })
  const { gateway, ...urls } = createWebhookSender(config, storage.merchants, clock, {
    ...seams,
    connectionsMax: sockets,
    onActivity: (attempt, activity) => dispatcher?.noteActivity(attempt, activity),
    isThreaded: !seams.timers && !seams.sendRequest,
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
    seams.limits ??
    ((from: ClientAddress, to: Log) =>
      config.mode === 'production' ? rateLimits(from, to, () => performance.now()) : noLimits)
  const deciders = seams.providers?.(composed.providers) ?? composed.providers
  const metrics = createMetrics(store, clock, () => dispatcher?.slowness() ?? { waiting: 0, merchants: [] })
  const alerts = createAlerts(store, log)
  const outage = createOutage(log, timers.monotonicNow, storage.store.takesWrites)
  const host: FullHost = {
    store: metrics.countSteps(store),
    clock,
    ids,
    terms,
  }
  const dispatcherControl = {
    drain: () => dispatcher?.drain() ?? Promise.resolve(),
    inFlight: () => dispatcher?.inFlight() ?? 0,
    isRunning: () => dispatcher?.isRunning() ?? true,
  }
  const sandbox = sandboxClock && {
    // Messages that a provider sends never appear among the sandbox's own.
    messages: config.providers.sms
      ? storage.sandboxStore.messages
      : createSandboxMessages({ store, sandboxStore: storage.sandboxStore, clock, timers }),
    time: controlTestClock(sandboxClock, store, dispatcherControl),
  }
  dispatcher = startDispatcher({
    store,
    clock,
    executeEffect: metrics.timeAttempts(
      executeEffect({ providers: deciders, gateway, clock, realNow: timers.realNow }, config.webhookJitter),
    ),
    complete: completeJob(host),
    limits: {
      deliveries: config.webhookConcurrency,
      internal: INTERNAL_JOBS_MAX + composed.inFlightMax,
      perMerchant: config.webhookPerMerchant,
      sockets,
    },
    onCompleted: (job, result, completion) => {
      sandbox?.time.recordFired(job)
      metrics.recordCompletion(job, result, completion)
      void alerts.afterCompletion(job, result, completion)
      log('settled', jobFields(job))
    },
    onClaimFailure: outage.noteUnavailable,
    onFailure: (reason, job, thrown) => {
      if (thrown === undefined) log('entry_failed', { ...jobFields(job), reason })
      else log('entry_faulted', { ...jobFields(job), thrown })
    },
    onSlow: createSlowMerchantsAlert(log),
    onClaimed: () => void outage.noteAnswered(),
    timers,
    ...(seams.onMoment && { onMoment: seams.onMoment }),
    ...(seams.lease && { lease: seams.lease }),
  })
  const running = dispatcher
  const retention = startRetention({
    store,
    clock,
    retain: config.retain,
    timers,
    ...(seams.retainEvery && { every: seams.retainEvery }),
    onDropped: (what, count) => log(`${what}_dropped`, { count }),
    onFailure: (reason) => log('nothing_dropped', { reason }),
  })
  // Another server may move the clock that all of them share.
  const clockSync = sandboxClock && startInterval(timers, CLOCK_SYNC_INTERVAL, sandboxClock.catchUp)

  return {
    app: plazoApp({
      host,
      merchants: storage.merchants,
      sandbox,
      usesProviderPage: composed.usesProviderPage,
      portSecrets,
      baseUrl,
      privacyPolicy: config.privacyPolicyUrl ?? `${baseUrl}${PRIVACY_PATH}`,
      operatorPassword: config.operatorPassword,
      urls,
      gateway,
      metrics,
      readiness: { takesWrites: storage.store.takesWrites, isDispatching: running.isRunning },
      limits: limits(addressOf, log),
      addressOf,
      log,
      outage,
      logsRequests: config.logLevel === 'debug' || config.logLevel === 'trace',
    }),
    stop: async (answered = Promise.resolve()) => {
      clockSync?.stop()
      await Promise.all([running.stop(DRAIN_TIMEOUT), retention.stop(), waitAtMost(DRAIN_TIMEOUT, answered)])
      gateway.close()
      composed.close()
      await storage.close()
    },
  }
}

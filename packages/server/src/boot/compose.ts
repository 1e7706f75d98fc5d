// Chooses the adapter behind each port, connects them, and starts the background work, so that
// everything else receives what it needs as arguments.
import type { MerchantGatewayOptions } from '@plazo/adapters/http'
import { listMessages, sandboxProviders } from '@plazo/adapters/sandbox'
import { systemIds, systemTimers, type Timers } from '@plazo/adapters/system'
import { completeJob, executeEffect, type FullHost } from '@plazo/core'
import type { FullStore, HostProviders, Ids, Providers } from '@plazo/core/ports'
import type { Hono } from 'hono'
import { plazoApp } from '../app.ts'
import { createAlerts, createSlowMerchantsAlert } from '../background/alerts.ts'
import { type Dispatcher, type DispatcherParts, startDispatcher } from '../background/dispatcher.ts'
import { startRetention } from '../background/retention.ts'
import { type ClientAddress, clientAddress } from '../http/client-address.ts'
import { noLimits, type RateLimits, rateLimits } from '../http/limits/rate-limits.ts'
import { mountable } from '../http/prefix.ts'
import type { SandboxControls } from '../http/services.ts'
import { eventStreams } from '../live/event-stream.ts'
import { createErrorReporter } from '../log/error-reporter.ts'
import { jobFields, type Log, openLog } from '../log/log.ts'
import { createMetrics } from '../metrics/prometheus.ts'
import { controlTestClock, startInterval } from '../sandbox/clock/test-clock.ts'
import { forkLinks } from '../sandbox/fork-links.ts'
import { createSandboxMessages, watchSandbox } from '../sandbox/watch.ts'
import { createWebhookTools } from '../sandbox/webhooks/webhook-tools.ts'
import { type Config, termsOf } from './config.ts'
import { composeProviders, portSecretsFrom } from './providers.ts'
import { type OpenStorageOptions, type OpenStores, openStores } from './storage.ts'
import { createWebhookSender, limitSockets } from './webhooks.ts'

export type Plazo = {
  /** Answers requests: `app.fetch(request)`. Another Hono app mounts it by `route` or `mount`. */
  readonly app: Hono
  /** Each method and path that it answers, with patterns for parameters. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  /**
   * For the use cases of core, for example `recordProviderCallback(host)` to report a payment
   * later.
   */
  readonly host: FullHost
  /**
   * Finishes the work in flight and waits for `answered` (the last request's answer), at most 30 s.
   * Then closes everything.
   */
  readonly stop: (answered?: Promise<void>) => Promise<void>
}

/** What a program that composes the server brings of its own. Only `baseUrl` is required. */
export type ComposeOptions = Pick<
  OpenStorageOptions,
  'onCommit' | 'threadAfterJobs' | 'database' | 'patience'
> &
  Pick<MerchantGatewayOptions, 'sendRequest'> &
  Pick<DispatcherParts, 'onMoment' | 'lease'> & {
    /**
     * Where this server is reached, without a slash at the end. Every URL that it hands out starts
     * with it.
     */
    readonly baseUrl: string
    /** Default: JSON lines on standard output. */
    readonly log?: Log
    /**
     * The ports that the program answers itself. They need no URL, in production too, and their
     * functions may be `async`. Or a function that wraps the providers that the settings name.
     */
    readonly providers?: Partial<HostProviders> | ((own: Providers) => Providers)
    /**
     * Replaces the store of `DATABASE_URL`, or wraps it. Merchants and keys stay in that database.
     */
    readonly store?: FullStore | ((own: FullStore) => FullStore)
    /** Default: the limits of the mode. */
    readonly limits?: (addressOf: ClientAddress, log: Log) => RateLimits
    /** Default: the machine's own. */
    readonly timers?: Timers
    readonly ids?: Ids
    /** Real milliseconds between two passes that delete old data. */
    readonly retainEvery?: number
  }

const DRAIN_TIMEOUT = 30_000
// As often as the dispatcher polls for due jobs.
const CLOCK_SYNC_INTERVAL = 1_000
// In a burst, shoppers are answered first: the work that their requests cause follows in small
// batches.
const INTERNAL_JOBS_MAX = 32

/**
 * Builds a running server without a socket. Rejects if it cannot open its database, or if nobody
 * answers a port.
 */
export const compose = async (config: Config, options: ComposeOptions): Promise<Plazo> => {
  const log = options.log ?? openLog(config.logLevel)
  const stores = await openStores(config, log, options)
  try {
    return start(config, { ...options, baseUrl: options.baseUrl.replace(/\/+$/, '') }, log, stores)
  } catch (cause) {
    await stores.close()
    throw cause
  }
}

const start = (config: Config, options: ComposeOptions, log: Log, stores: OpenStores): Plazo => {
  const { baseUrl } = options
  const { store, clock, testClock, merchants, timers, probeDisk = async () => null } = stores

  const takesWrites = async (): Promise<boolean> => {
    const isReady = await store.takesWrites()
    const failure = isReady ? null : await probeDisk()
    if (failure !== null) errorReporter.noteUnavailable(failure)
    return isReady
  }
  const errorReporter = createErrorReporter(log, timers.monotonicNow, store.takesWrites, probeDisk)
  const watch =
    config.mode === 'sandbox' ? watchSandbox(stores, errorReporter.noteUnavailable) : null
  const tools =
    watch &&
    createWebhookTools(
      { ...stores, recorder: watch.recorder },
      { ...config, baseUrl },
      errorReporter.noteUnavailable,
      () => streams.wake(),
    )

  const portSecrets = portSecretsFrom(stores.keyring)
  const sandboxOwn = config.mode === 'sandbox' ? sandboxProviders(stores.records) : null
  const { providers: wrap } = options
  const hostProviders = typeof wrap === 'function' ? {} : wrap
  const chosen = composeProviders(config, baseUrl, portSecrets, sandboxOwn, hostProviders)
  const wrapped = typeof wrap === 'function' ? wrap(chosen.providers) : chosen.providers
  const providers = watch?.recordProviders(wrapped) ?? wrapped

  const sockets = limitSockets(config, log)
  const webhooks = createWebhookSender(config, merchants, clock, {
    ...options,
    connectionsMax: sockets,
    onActivity: (attempt, activity) => dispatcher.noteActivity(attempt, activity),
    tools,
    isThreaded: !options.timers && !options.sendRequest,
  })

  const metrics = createMetrics(store, clock, () => {
    const { waiting, merchants: slow } = dispatcher.slowness()
    return {
      waiting,
      merchants: slow.filter(({ merchantRef }) => !tools?.drills.explainsSlowness(merchantRef)),
    }
  })
  const host: FullHost = {
    store: metrics.countSteps(store),
    clock,
    ids: options.ids ?? systemIds,
    terms: termsOf(config, baseUrl),
  }

  const alertCompletion = createAlerts(store, log)
  const sandboxControls: SandboxControls | null = testClock && {
    // Messages that a provider sends never appear among the sandbox's own.
    messages: chosen.simulatesSms ? createSandboxMessages(stores) : listMessages(stores.records),
    time: controlTestClock(testClock, store, {
      drain: () => dispatcher.drain(),
      hurry: (hurries) => dispatcher.hurry(hurries),
      inFlight: () => dispatcher.inFlight(),
      isRunning: () => dispatcher.isRunning(),
    }),
  }
  const ports = { providers, gateway: webhooks.gateway, clock, realNow: timers.realNow }
  const dispatcher: Dispatcher = startDispatcher({
    store,
    clock,
    timers,
    executeEffect: metrics.timeAttempts(executeEffect(ports, config.webhookJitter)),
    complete: completeJob(host),
    limits: {
      deliveries: config.webhookConcurrency,
      internal: INTERNAL_JOBS_MAX + chosen.inFlightMax,
      perMerchant: config.webhookPerMerchant,
      sockets,
    },
    onCompleted: (job, result, completion) => {
      sandboxControls?.time.recordFired(job)
      // A delivery that a fault drill touches raises no alert.
      const isDrilled = tools?.takeDrilled(job.key) ?? false
      metrics.recordCompletion(job, result, completion, isDrilled)
      if (!isDrilled) void alertCompletion(job, result, completion)
      log('settled', jobFields(job))
    },
    onClaimFailure: errorReporter.noteUnavailable,
    onFailure: (reason, job, thrown) => {
      if (thrown === undefined) log('entry_failed', { ...jobFields(job), reason })
      else log('entry_faulted', { ...jobFields(job), thrown })
    },
    onSlow: createSlowMerchantsAlert(log, tools?.drills.explainsSlowness),
    onClaimed: () => void errorReporter.noteAnswered(),
    ...(options.onMoment && { onMoment: options.onMoment }),
    ...(options.lease && { lease: options.lease }),
  })
  const retention = startRetention({
    ...{ store, clock, timers, retain: config.retain },
    ...(options.retainEvery && { every: options.retainEvery }),
    onDropped: (what, count) => log(`${what}_dropped`, { count }),
    onFailure: (reason) => log('nothing_dropped', { reason }),
  })
  // Another server may move the clock that all of them share.
  const clockSync = testClock && startInterval(timers, CLOCK_SYNC_INTERVAL, testClock.catchUp)

  const streams = eventStreams(timers)
  const addressOf = clientAddress(config.trustedProxies)
  const ownLimits =
    config.mode === 'production' ? rateLimits(addressOf, log, systemTimers.monotonicNow) : noLimits
  const app = plazoApp({
    ...{
      config,
      baseUrl,
      log,
      host,
      merchants,
      portSecrets,
      metrics,
      errorReporter,
      addressOf,
      streams,
    },
    ...webhooks,
    sandbox: watch &&
      tools &&
      sandboxControls && {
        ...sandboxControls,
        watch,
        tools,
        forks: forkLinks(stores.records),
      },
    usesProviderPage: chosen.usesProviderPage,
    limits: options.limits?.(addressOf, log) ?? ownLimits,
    readiness: { takesWrites, isDispatching: dispatcher.isRunning },
  })

  return {
    app: mountable(app),
    routes: app.routes,
    host,
    stop: async (answered = Promise.resolve()) => {
      // Otherwise a page that follows an order would keep the server from stopping.
      streams.stop()
      clockSync?.stop()
      await Promise.all([
        dispatcher.stop(DRAIN_TIMEOUT),
        retention.stop(),
        waitAtMost(DRAIN_TIMEOUT, answered),
      ])
      await Promise.all([watch?.recorder.drain(), tools?.stop()])
      webhooks.gateway.close()
      chosen.close()
      await stores.close()
    },
  }
}

const waitAtMost = (millis: number, work: Promise<void>): Promise<void> =>
  Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, millis).unref())])

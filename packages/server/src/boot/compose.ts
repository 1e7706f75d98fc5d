// Chooses the adapter behind each port, connects them, and starts the background work, so that
// everything else receives what it needs as arguments.

import { EventEmitter } from 'node:events'
import { type Dispatcher, type DispatcherParts, startDispatcher } from '@plazo/adapters/host'
import type { MerchantGatewayOptions } from '@plazo/adapters/http'
import { systemIds, systemTimers, type Timers } from '@plazo/adapters/system'
import { completeJob, executeEffect, type FullHost } from '@plazo/core'
import type { FullStore, Ids, Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Hono } from 'hono'
import { plazoApp } from '../app.ts'
import { createAlerts } from '../background/alerts.ts'
import { readFailing, startEndpointAlert } from '../background/endpoint-alert.ts'
import { createProviderWatch } from '../background/provider-watch.ts'
import { startRetention } from '../background/retention.ts'
import { createWebhookSender, limitSockets } from '../deliveries/webhook-sender.ts'
import { type ClientAddress, clientAddress } from '../http/client-address.ts'
import { insideOf, openExtensions, type ServerExtension } from '../http/extension.ts'
import { noLimits, type RateLimits, rateLimits } from '../http/limits/rate-limits.ts'
import { mountable } from '../http/prefix.ts'
import { eventStreams } from '../live/event-stream.ts'
import { createErrorReporter } from '../log/error-reporter.ts'
import { jobFields, type Log, openLog } from '../log/log.ts'
import { findWellKnownCredentials } from '../merchants/known-credentials.ts'
import { createMetrics } from '../metrics/prometheus.ts'
import { type Config, databaseName, termsOf } from '../settings/config.ts'
import { type OpenStorageOptions, openStorage, type ServerStorage } from '../settings/storage.ts'
import { composeProviders, type OwnProviders, portSecretsFrom } from './providers.ts'

/** A whole server without a socket, as `compose` returns it. */
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
  Pick<DispatcherParts, 'onMoment' | 'lease'> &
  OwnProviders & {
    /**
     * Where this server is reached, without a slash at the end. Every URL that it hands out starts
     * with it.
     */
    readonly baseUrl: string
    /** Default: JSON lines on standard output. */
    readonly log?: Log
    /** Parts that not every server has. Default: none. */
    readonly extensions?: readonly ServerExtension[]
    /**
     * Replaces the store of `DATABASE_URL`, or wraps it. Merchants and keys stay in that database.
     */
    readonly store?: FullStore | ((store: FullStore) => FullStore)
    /** Default: the limits of the mode. */
    readonly limits?: (addressOf: ClientAddress, log: Log) => RateLimits
    /** Default: the machine's own. */
    readonly timers?: Timers
    readonly ids?: Ids
    /** Real milliseconds between two passes that delete old data. */
    readonly retainEvery?: number
  }

// Milliseconds to wait for a database that starts together with this server.
const DATABASE_WAIT = 30_000
const DRAIN_TIMEOUT = 30_000
// In a burst, shoppers are answered first: the work that their requests cause follows in small
// batches.
const INTERNAL_JOBS_MAX = 32

/**
 * Builds a running server without a socket. Rejects if it cannot open its database, or if nobody
 * answers a port.
 */
export const compose = async (config: Config, options: ComposeOptions): Promise<Plazo> => {
  const log = options.log ?? openLog(config.logLevel)
  const database = databaseName(config.database)
  const storage = await openStorage(config, {
    patience: DATABASE_WAIT,
    ...options,
    onWaiting: (reason) => log('awaiting_database', { database, reason, hint: reason.code }),
  })
  try {
    const baseUrl = options.baseUrl.replace(/\/+$/, '')
    return await connect(config, { ...options, baseUrl, log }, storage)
  } catch (cause) {
    await storage.close()
    throw cause
  }
}

const connect = async (
  config: Config,
  options: ComposeOptions & { readonly log: Log },
  storage: ServerStorage,
): Promise<Plazo> => {
  const { baseUrl, log, timers = systemTimers } = options

  // Stores
  const { merchants, keyring, keyRotation, probeDisk = async () => null } = storage
  const { store: given = storage.store } = options
  const store = typeof given === 'function' ? given(storage.store) : given
  const errorReporter = createErrorReporter(log, timers.monotonicNow, store.takesWrites, probeDisk)
  const { noteUnavailable } = errorReporter
  const parts = { ...storage, store, timers, config, baseUrl, onFailure: noteUnavailable }
  const answered = answerOrThrow(databaseName(config.database))
  const extension = await answered(openExtensions((options.extensions ?? []).map(insideOf), parts))
  const clock = extension.clock ?? storage.clock
  if (config.policy.refusesKnownCredentials) {
    const wellKnown = await answered(findWellKnownCredentials(merchants, clock.now()))
    if (wellKnown.length > 0)
      throw new Error(wellKnown.map(({ says, todo }) => `${says}. ${todo}`).join('\n'))
  }
  await answered(keyRotation.markInUse())

  // Webhooks
  const sockets = limitSockets(log)
  const activity = new EventEmitter<{ noted: Parameters<Dispatcher['noteActivity']> }>()
  const webhooks = createWebhookSender(config, merchants, clock, {
    ...options,
    connectionsMax: sockets,
    onActivity: (...noted) => activity.emit('noted', ...noted),
    isThreaded: !options.timers && !options.sendRequest,
  })

  // Worker
  const portSecrets = portSecretsFrom(keyring)
  const { wrapProviders = (given) => given } = options
  const chosen = composeProviders(config, baseUrl, portSecrets, {
    ...options,
    wrapProviders: (given) => wrapProviders(extension.wrapProviders(given)),
  })
  const providerWatch = createProviderWatch(clock)
  const providers = providerWatch.watch(chosen.providers)
  const readFailingEndpoints = readFailing(store, clock)
  const metrics = createMetrics(store, clock, readFailingEndpoints)
  const host: FullHost = {
    store,
    clock,
    ids: options.ids ?? systemIds,
    terms: termsOf(config, baseUrl),
  }
  const alertCompletion = createAlerts(log)
  const ports = { providers, gateway: webhooks.gateway, clock, realNow: timers.realNow }
  const dispatcher = startDispatcher({
    store,
    clock,
    timers,
    executeEffect: metrics.timeAttempts(executeEffect(ports, config.policy.jitter)),
    complete: completeJob(host),
    limits: {
      deliveries: config.webhookConcurrency,
      internal: INTERNAL_JOBS_MAX + chosen.inFlightMax,
      perAccount: config.webhookPerMerchant,
      sockets,
    },
    onCompleted: (job, result, completion) => {
      extension.onCompleted?.(job)
      metrics.recordCompletion(job, result, completion)
      alertCompletion(job, result, completion)
      log('settled', jobFields(job))
    },
    onClaimFailure: noteUnavailable,
    onFailure: (reason, job, thrown) => {
      if (thrown === undefined) log('entry_failed', { ...jobFields(job), reason })
      else log('entry_faulted', { ...jobFields(job), thrown })
    },
    onClaimed: () => void errorReporter.noteAnswered(),
    ...(options.onMoment && { onMoment: options.onMoment }),
    ...(options.lease && { lease: options.lease }),
  })
  activity.on('noted', dispatcher.noteActivity)
  const endpointAlert = startEndpointAlert(readFailingEndpoints, timers, log)
  const retention = startRetention({
    store,
    clock,
    timers,
    retainDeliveries: config.retainDeliveries,
    ...(options.retainEvery && { every: options.retainEvery }),
    onDropped: (count) => log('deliveries_dropped', { count }),
    onFailure: (reason) => log('nothing_dropped', { reason }),
  })

  // App
  const streams = eventStreams(timers)
  const addressOf = clientAddress(config.trustedProxies)
  const defaultLimits = config.policy.limitsRates
    ? rateLimits(addressOf, log, systemTimers.monotonicNow)
    : noLimits
  const takesWrites = async (): Promise<boolean> => {
    const isReady = await store.takesWrites()
    const failure = isReady ? null : await probeDisk()
    if (failure !== null) noteUnavailable(failure)
    return isReady
  }
  const app = plazoApp(
    {
      ...webhooks,
      config,
      baseUrl,
      log,
      host,
      merchants,
      erasure: storage.erasure,
      portSecrets,
      metrics: { contentType: metrics.contentType, scrape: metrics.scrape(dispatcher.waiting) },
      errorReporter,
      providerWatch,
      addressOf,
      streams,
      additions: extension,
      limits: options.limits?.(addressOf, log) ?? defaultLimits,
      readiness: { takesWrites, isDispatching: dispatcher.isRunning },
      dispatcher,
    },
    extension,
  )

  return {
    app: mountable(app),
    routes: app.routes,
    host,
    stop: async (answered = Promise.resolve()) => {
      // Otherwise a page that follows an order would keep the server from stopping.
      streams.stop()
      endpointAlert.stop()
      await Promise.all([
        dispatcher.stop(DRAIN_TIMEOUT),
        retention.stop(),
        waitAtMost(DRAIN_TIMEOUT, answered),
      ])
      await extension.close()
      webhooks.gateway.close()
      chosen.close()
      await storage.close()
    },
  }
}

/** While a server starts: throws if the database does not answer. */
const answerOrThrow =
  (database: string) =>
  async <A>(task: TaskEither<Unavailable, A>): Promise<A> => {
    const answer = await task()
    if (E.isRight(answer)) return answer.right
    const { message } = answer.left
    throw new Error(`${database}: ${message}. \`plazo doctor\` says what is wrong with it.`)
  }

const waitAtMost = (millis: number, work: Promise<void>): Promise<void> =>
  Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, millis).unref())])

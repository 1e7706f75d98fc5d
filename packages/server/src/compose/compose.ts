// Chooses the adapter behind each port and connects them, so that everything else receives what it needs as arguments.
import type { MerchantGatewayOptions } from '@plazo/adapters/http'
import { sandboxProviders } from '@plazo/adapters/sandbox'
import { systemIds, systemTimers, type Timers } from '@plazo/adapters/system'
import type { FullHost, FullStore, Ids, Providers } from '@plazo/core'
import { plazoApp } from '../app.ts'
import type { DispatcherParts } from '../background/dispatcher.ts'
import { type Config, termsOf } from '../config.ts'
import { type ClientAddress, clientAddress, noLimits, type RateLimits, rateLimits } from '../http/limits/rate-limits.ts'
import { eventStreams } from '../live/event-stream.ts'
import { createErrorReporter } from '../log/error-reporter.ts'
import type { Log } from '../log/log.ts'
import { createMetrics } from '../metrics/prometheus.ts'
import { forkLinks } from '../sandbox/fork-links.ts'
import { watchSandbox } from '../sandbox/watch.ts'
import { createWebhookTools } from '../sandbox/webhook-tools.ts'
import { startBackground } from './background.ts'
import { composeProviders, portSecretsFrom } from './providers.ts'
import { type OpenStorageOptions, openStores } from './storage.ts'
import { createWebhookSender, limitSockets } from './webhooks.ts'

export type Plazo = {
  readonly app: ReturnType<typeof plazoApp>
  /** Finishes the work in flight and waits for `answered` (the last request's answer), at most 30 s. Then closes everything. */
  readonly stop: (answered?: Promise<void>) => Promise<void>
}

const DRAIN_TIMEOUT = 30_000

/** `baseUrl`: where this server is reached; every URL that it hands out starts with it. */
export const compose = async (config: Config, baseUrl: string, log: Log, seams: TestSeams = {}): Promise<Plazo> => {
  const stores = await openStores(config, log, seams)
  const { store, clock, merchants, timers } = stores

  const errorReporter = createErrorReporter(log, timers.monotonicNow, store.takesWrites)
  const watch = config.mode === 'sandbox' ? watchSandbox(stores, errorReporter.noteUnavailable) : null
  const tools =
    watch &&
    createWebhookTools(
      { ...stores, recorder: watch.recorder },
      { ...config, baseUrl },
      errorReporter.noteUnavailable,
      () => streams.wake(),
    )

  const portSecrets = portSecretsFrom(stores.keyring.map(({ key }) => key.export()))
  const sandboxOwn = config.mode === 'sandbox' ? sandboxProviders(stores.sandboxStore) : null
  const chosen = composeProviders(config, baseUrl, portSecrets, sandboxOwn)
  const replaced = seams.providers?.(chosen.providers) ?? chosen.providers
  const providers = { ...chosen, providers: watch?.recordProviders(replaced) ?? replaced }

  const sockets = limitSockets(config, log)
  const webhooks = createWebhookSender(config, merchants, clock, {
    ...seams,
    connectionsMax: sockets,
    onActivity: (attempt, activity) => background.dispatcher.noteActivity(attempt, activity),
    tools,
    isThreaded: !seams.timers && !seams.sendRequest,
  })

  const metrics = createMetrics(store, clock, () => {
    const { waiting, merchants: slow } = background.dispatcher.slowness()
    return { waiting, merchants: slow.filter(({ merchantRef }) => !tools?.drills.explainsSlowness(merchantRef)) }
  })
  const host: FullHost = {
    store: metrics.countSteps(store),
    clock,
    ids: seams.ids ?? systemIds,
    terms: termsOf(config, baseUrl),
  }

  const { gateway } = webhooks
  const background = startBackground({
    ...{ config, log, stores, host, providers, gateway, sockets, metrics, errorReporter, tools, seams },
  })

  const streams = eventStreams({ timers })
  const addressOf = clientAddress(config.trustedProxies)
  const app = plazoApp({
    ...{ config, baseUrl, log, host, merchants, portSecrets, metrics, errorReporter, addressOf, streams },
    ...webhooks,
    sandbox: watch &&
      tools &&
      background.sandbox && { ...background.sandbox, watch, tools, forks: forkLinks(stores.sandboxStore) },
    usesProviderPage: providers.usesProviderPage,
    limits: (seams.limits ?? limitsOf(config))(addressOf, log),
    readiness: { takesWrites: store.takesWrites, isDispatching: background.dispatcher.isRunning },
  })

  return {
    app,
    stop: async (answered = Promise.resolve()) => {
      // Otherwise a page that follows an order would keep the server from stopping.
      streams.stop()
      await Promise.all([background.stop(DRAIN_TIMEOUT), waitAtMost(DRAIN_TIMEOUT, answered)])
      await Promise.all([watch?.recorder.drain(), tools?.stop()])
      gateway.close()
      providers.close()
      await stores.close()
    },
  }
}

/** The parts that tests of a whole server replace: time, network, store, providers and limits. */
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

const limitsOf =
  ({ mode }: Config) =>
  (addressOf: ClientAddress, log: Log): RateLimits =>
    mode === 'production' ? rateLimits(addressOf, log, systemTimers.monotonicNow) : noLimits

const waitAtMost = (millis: number, work: Promise<void>): Promise<void> =>
  Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, millis).unref())])

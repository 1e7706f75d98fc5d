// The work of a server that no request waits for: due jobs, which call merchants and providers, the
// alerts that they raise, and the deletion of old data.
import { setTimeout } from 'node:timers/promises'
import {
  type Dispatcher,
  type DispatcherParts,
  startDispatcher,
} from '@plazo/adapters/internal/host'
import { systemIds } from '@plazo/adapters/system'
import { completeJob, executeEffect, type FullHost, type Links } from '@plazo/core'
import type { Ids, Job } from '@plazo/core/ports'
import { createAlerts } from '../background/alerts.ts'
import { readFailing, startEndpointAlert } from '../background/endpoint-alert.ts'
import { createProviderWatch } from '../background/provider-watch.ts'
import { startRetention } from '../background/retention.ts'
import type { AppParts } from '../http/services.ts'
import { jobFields, type Log } from '../log/log.ts'
import { type Config, termsOf } from '../settings/config.ts'
import { type GatewayOptions, limitSockets, openGateway } from './gateway.ts'
import { createMetrics } from './prometheus.ts'
import { composeProviders, type OwnProviders, portSecretsFrom } from './providers.ts'
import type { Stores } from './stores.ts'

export type WorkerOptions = Pick<DispatcherParts, 'onMoment'> &
  GatewayOptions &
  OwnProviders & {
    readonly ids?: Ids
    /** The pages that a shopper is sent to, in place of those below `baseUrl`. */
    readonly links?: Partial<Links>
    /** Called for every job that was run. */
    readonly onJob?: (job: Job) => void
    /** Real milliseconds between two passes that delete old data. */
    readonly retainEvery?: number
  }

/** What runs, as the app's routes see it. */
type Worker = Pick<
  AppParts,
  'host' | 'gateway' | 'urls' | 'portSecrets' | 'providerWatch' | 'metrics'
> & {
  readonly dispatcher: Dispatcher
  /** Waits for the work in flight and for `answered`, at most 30 s. */
  readonly stop: (answered: Promise<void>) => Promise<void>
}

const DRAIN_TIMEOUT = 30_000
// In a burst, shoppers are answered first: the work that their requests cause follows in small
// batches.
const INTERNAL_JOBS_MAX = 32

/** Throws if nobody answers a port of the providers. */
export const startWorker = (
  config: Config,
  baseUrl: string,
  stores: Stores,
  options: WorkerOptions,
  log: Log,
): Worker => {
  const { store, clock, timers, merchants, errorReporter } = stores
  const terms = termsOf(config, baseUrl)
  const host: FullHost = {
    store,
    clock,
    ids: options.ids ?? systemIds,
    terms: { ...terms, links: { ...terms.links, ...options.links } },
  }
  const portSecrets = portSecretsFrom(stores.keyring)
  const answering = composeProviders(config, baseUrl, portSecrets, options)
  const providerWatch = createProviderWatch(clock)
  const sockets = limitSockets(log)
  const { gateway, urls } = openGateway(config, options, {
    secretsOf: (ref) => merchants.liveSecrets(ref, clock.now()),
    realNow: timers.realNow,
    connectionsMax: sockets,
    // Nothing is sent before the dispatcher runs.
    onActivity: (...noted) => dispatcher.noteActivity(...noted),
  })
  const handlers = {
    providers: providerWatch.watch(answering.providers),
    gateway,
    clock,
    realNow: timers.realNow,
  }
  const readFailingEndpoints = readFailing(store, clock)
  const metrics = createMetrics(stores, readFailingEndpoints)
  const alertCompletion = createAlerts(log)
  const dispatcher = startDispatcher({
    store,
    clock,
    timers,
    executeEffect: metrics.timeAttempts(executeEffect(handlers, config.policy.jitter)),
    complete: completeJob(host),
    limits: {
      deliveries: config.webhookConcurrency,
      internal: INTERNAL_JOBS_MAX + answering.inFlightMax,
      perAccount: config.webhookPerMerchant,
      sockets,
    },
    onCompleted: (job, result, completion) => {
      options.onJob?.(job)
      metrics.recordCompletion(job, result, completion)
      alertCompletion(job, result, completion)
      log('settled', jobFields(job))
    },
    onClaimFailure: errorReporter.noteUnavailable,
    onFailure: (reason, job, thrown) => {
      if (thrown === undefined) log('entry_failed', { ...jobFields(job), reason })
      else log('entry_faulted', { ...jobFields(job), thrown })
    },
    onClaimed: () => void errorReporter.noteAnswered(),
    ...(options.onMoment && { onMoment: options.onMoment }),
  })
  const endpointAlert = startEndpointAlert(readFailingEndpoints, timers, log)
  const retention = startRetention({
    store,
    clock,
    timers,
    retainDeliveries: config.retainDeliveries,
    every: options.retainEvery,
    log,
  })

  return {
    host,
    gateway,
    urls,
    portSecrets,
    providerWatch,
    dispatcher,
    metrics: {
      contentType: metrics.contentType,
      scrape: () => metrics.scrape(dispatcher.waiting()),
    },
    stop: async (answered) => {
      endpointAlert.stop()
      await Promise.all([
        dispatcher.stop(DRAIN_TIMEOUT),
        retention.stop(),
        Promise.race([answered, setTimeout(DRAIN_TIMEOUT, undefined, { ref: false })]),
      ])
      gateway.close()
      answering.close()
    },
  }
}

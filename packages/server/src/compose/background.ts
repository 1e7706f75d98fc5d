// Starts everything that works without a request: the dispatcher with its alerts, retention, and the sandbox's clock.
import type { ClosableMerchantGateway } from '@plazo/adapters/http'
import { completeJob, executeEffect, type FullHost, type Providers } from '@plazo/core'
import { createAlerts, createSlowMerchantsAlert } from '../background/alerts.ts'
import { type Dispatcher, type DispatcherParts, startDispatcher } from '../background/dispatcher.ts'
import { startRetention } from '../background/retention.ts'
import { controlTestClock, startInterval } from '../background/test-clock.ts'
import type { Config } from '../config.ts'
import type { ErrorReporter } from '../log/error-reporter.ts'
import { jobFields, type Log } from '../log/log.ts'
import type { Metrics } from '../metrics/prometheus.ts'
import type { SandboxControls } from '../routes/services.ts'
import { createSandboxMessages } from '../sandbox/watch.ts'
import type { WebhookTools } from '../sandbox/webhook-tools.ts'
import type { OpenStores } from './storage.ts'

type BackgroundParts = {
  readonly config: Config
  readonly log: Log
  readonly stores: OpenStores
  readonly host: FullHost
  readonly providers: { readonly providers: Providers; readonly inFlightMax: number }
  readonly gateway: ClosableMerchantGateway
  /** Deliveries that may be in flight. */
  readonly sockets: number
  readonly metrics: Metrics
  readonly errorReporter: ErrorReporter
  /** The sandbox's: what a fault drill touches raises no alerts. Null in production. */
  readonly tools: Pick<WebhookTools, 'takeDrilled' | 'drills'> | null
  readonly seams: Pick<DispatcherParts, 'onMoment' | 'lease'> & { readonly retainEvery?: number }
}

// As often as the dispatcher polls for due jobs.
const CLOCK_SYNC_INTERVAL = 1_000
// In a burst, shoppers are answered first: the work that their requests cause follows in small batches.
const INTERNAL_JOBS_MAX = 32

export const startBackground = (parts: BackgroundParts) => {
  const { config, log, stores, host, providers, gateway, sockets, metrics, errorReporter, tools, seams } = parts
  const { store, clock, testClock, sandboxStore, timers } = stores
  const alertCompletion = createAlerts(store, log)
  const alertSlow = createSlowMerchantsAlert(log, tools?.drills.explainsSlowness)

  // Null in production.
  const sandbox: SandboxControls | null = testClock && {
    // Messages that a provider sends never appear among the sandbox's own.
    messages: config.providers.sms
      ? sandboxStore.messages
      : createSandboxMessages({ store, sandboxStore, clock, timers }),
    time: controlTestClock(testClock, store, {
      drain: () => dispatcher.drain(),
      inFlight: () => dispatcher.inFlight(),
      isRunning: () => dispatcher.isRunning(),
    }),
  }

  const dispatcher: Dispatcher = startDispatcher({
    store,
    clock,
    timers,
    executeEffect: metrics.timeAttempts(
      executeEffect({ providers: providers.providers, gateway, clock, realNow: timers.realNow }, config.webhookJitter),
    ),
    complete: completeJob(host),
    limits: {
      deliveries: config.webhookConcurrency,
      internal: INTERNAL_JOBS_MAX + providers.inFlightMax,
      perMerchant: config.webhookPerMerchant,
      sockets,
    },
    onCompleted: (job, result, completion) => {
      sandbox?.time.recordFired(job)
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
    onSlow: alertSlow,
    onClaimed: () => void errorReporter.noteAnswered(),
    ...(seams.onMoment && { onMoment: seams.onMoment }),
    ...(seams.lease && { lease: seams.lease }),
  })

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
  const clockSync = testClock && startInterval(timers, CLOCK_SYNC_INTERVAL, testClock.catchUp)

  return {
    dispatcher,
    sandbox,
    /** Finishes the work in flight, for at most `patience` milliseconds. */
    stop: async (patience: number): Promise<void> => {
      clockSync?.stop()
      await Promise.all([dispatcher.stop(patience), retention.stop()])
    },
  }
}

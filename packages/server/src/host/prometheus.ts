// Collects the metrics for Prometheus. The dispatcher and the reports of commits feed them; the queue
// statistics are read at each scrape.
import type { DispatcherParts } from '@plazo/adapters/internal/host'
import {
  ACCEPTED_STATUSES,
  type CompletionResult,
  type EffectResult,
  type Job,
  type QueueName,
  queueNameOf,
  wasApplied,
} from '@plazo/core/internal'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { readFailing as readEndpoints } from '../background/endpoint-alert.ts'
import { value } from '../http/route.ts'
import type { Stores } from './stores.ts'

type Outcome = Pick<EffectResult, 'attemptResult' | 'error'>

type ExecuteEffect = DispatcherParts['executeEffect']

const QUEUES: readonly QueueName[] = ['event', 'ipn', 'work']
const DELIVERIES = [...Object.keys(ACCEPTED_STATUSES), 'ipn']
// An attempt to call a merchant may take 30 s.
const SECONDS_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]

/** The event's own name; for other work, its kind. */
const eventLabel = ({ payload }: Job): string =>
  payload.kind === 'event' ? payload.event : payload.kind

const outcomeLabel = ({ attemptResult, error }: Outcome, completion: CompletionResult): string => {
  if (!wasApplied(completion)) return completion
  if (error !== null) return 'error'
  if (attemptResult.type === 'retry') return 'later'
  return attemptResult.status === 'unsupported' ? 'unsupported' : 'accepted'
}

/** `readFailing`: the endpoints that fail, at most 100. */
export const createMetrics = (
  { store, clock, lease, takeovers }: Pick<Stores, 'store' | 'clock' | 'lease' | 'takeovers'>,
  readFailing: ReturnType<typeof readEndpoints>,
) => {
  const registry = new Registry()
  const described = <Label extends string = never>(
    name: string,
    help: string,
    ...labelNames: readonly Label[]
  ) => ({ name, help, labelNames, registers: [registry] })

  const oldestDue = new Gauge(
    described(
      'plazo_oldest_due_seconds',
      'How long the oldest due job has waited, in domain time, including jobs deferred for fairness; 0 if no job is due.',
      'class',
    ),
  )
  const inFlight = new Gauge(
    described('plazo_in_flight', 'Jobs that this node is running.', 'class'),
  )
  const waiting = new Gauge(
    described(
      'plazo_waiting_deliveries',
      'Deliveries of this node that wait for an answer. Each has a socket, and none counts against WEBHOOK_CONCURRENCY.',
    ),
  )
  const attempts = new Counter(
    described(
      'plazo_attempts_total',
      'Finished attempts, by event (ipn, or the kind of other job) and outcome.',
      'event',
      'outcome',
    ),
  )
  const attemptSeconds = new Histogram({
    ...described('plazo_attempt_seconds', 'Duration of an attempt in real seconds.', 'class'),
    buckets: SECONDS_BUCKETS,
  })
  const exhausted = new Counter(
    described(
      'plazo_exhausted_total',
      'Jobs that were given up after their last attempt.',
      'event',
    ),
  )
  const endpointFailing = new Gauge(
    described(
      'plazo_endpoint_failing_seconds',
      'How long a shop has failed each attempt, if it is 15 minutes or longer; at most 100 shops.',
      'merchant',
      'kind',
    ),
  )
  const stuck = new Gauge(described('plazo_stuck', 'Jobs that are stuck after an internal error.'))
  const dispatching = new Gauge(
    described('plazo_dispatching', '1 if this node starts jobs, otherwise 0.'),
  )
  const takeoversTotal = new Counter(
    described(
      'plazo_takeovers_total',
      'How often this node began to start jobs because another one crashed or froze; 0 on SQLite.',
    ),
  )
  const steps = new Counter(described('plazo_steps_committed_total', 'Committed steps of orders.'))
  // A series that exists from the start is 0 before its first event, so that a rate includes that
  // event.
  for (const kind of QUEUES) {
    inFlight.set({ class: kind }, 0)
    attemptSeconds.zero({ class: kind })
  }
  for (const event of DELIVERIES) {
    exhausted.inc({ event }, 0)
    for (const outcome of ['accepted', 'error', 'lost', 'stuck'])
      attempts.inc({ event, outcome }, 0)
  }

  store.onCommitted((report) => {
    if (report.steps > 0) steps.inc(report.steps)
  })

  return {
    contentType: registry.contentType,
    /** The metrics in Prometheus' text format; reads the store's queue statistics. */
    scrape: async (waitingNow: number): Promise<string> => {
      const { nextDueAt, stuckCount } = await value(store.queueStats())
      const now = clock.now()
      const failing = await value(readFailing)
      endpointFailing.reset()
      for (const { merchantRef, kind, failingSince } of failing)
        endpointFailing.set({ merchant: merchantRef, kind }, (now - (failingSince ?? now)) / 1000)
      for (const kind of QUEUES)
        oldestDue.set({ class: kind }, Math.max(0, now - (nextDueAt[kind] ?? now)) / 1000)
      stuck.set(stuckCount)
      waiting.set(waitingNow)
      dispatching.set(Number((await lease())?.isHere ?? false))
      takeoversTotal.reset()
      takeoversTotal.inc(takeovers?.() ?? 0)
      return registry.metrics()
    },
    /** Wraps the work of an attempt: times it, and counts it while it is in flight. */
    timeAttempts:
      (executeEffect: ExecuteEffect): ExecuteEffect =>
      (job) =>
      async () => {
        // A timer is not an attempt.
        if (job.payload.kind === 'timer') return executeEffect(job)()
        const labels = { class: queueNameOf(job.payload.kind) }
        const stopTiming = attemptSeconds.startTimer(labels)
        inFlight.inc(labels)
        try {
          return await executeEffect(job)()
        } finally {
          inFlight.dec(labels)
          stopTiming()
        }
      },
    recordCompletion: (job: Job, result: Outcome, completion: CompletionResult): void => {
      if (job.payload.kind === 'timer') return
      const event = eventLabel(job)
      attempts.inc({ event, outcome: outcomeLabel(result, completion) })
      if (completion === 'exhausted') exhausted.inc({ event })
    },
  }
}

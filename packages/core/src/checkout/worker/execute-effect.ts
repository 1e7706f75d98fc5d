// Runs claimed effects. `executeEffect` calls the port of one and returns the order's event and the
// job's result. It writes nothing, so that a dispatcher can write both in one transaction.
import * as E from 'fp-ts/lib/Either.js'
import { type Lazy, pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AttemptError } from '../../delivery/attempt.ts'
import { timerEvent } from '../../order/effects/effect.ts'
import type { ThrownError } from '../../order/error-message.ts'
import type { OrderEvent } from '../../order/order.ts'
import type { Job } from '../../ports/job-queue.ts'
import {
  type ProviderError,
  type ProviderReply,
  type Providers,
  retryLater,
} from '../../ports/providers.ts'
import type { Unavailable } from '../../ports/store-errors.ts'
import type { Host } from '../host.ts'
import {
  type AttemptScope,
  catchThrown,
  completeJob,
  type EffectResult,
  finish,
  isExpired,
  retry,
  retryAt,
} from './complete-job.ts'
import { deliver, type WebhookSender } from './deliver.ts'

/** What `executeEffect` calls. `toProviders` makes the providers of `async` functions. */
export type EffectHandlers = WebhookSender & { readonly providers: Providers }

const EVALUATION_RETRY_DELAY = 60_000

const PROVIDER_THREW: ProviderError = {
  _tag: 'ProviderError',
  reason: 'other',
  message: 'The provider threw an error.',
}

/**
 * Calls the port of one job, and says what it means for the order.
 *
 * `jitter`: the largest fraction of a retry's step that is added to it, 0 to 1. Never fails: an
 * error is part of the result, which `completeJob` writes.
 *
 * @example
 * ```ts
 * const execute = executeEffect({ providers, gateway, clock: host.clock }, 0.1)
 * const result = await execute(job)()
 * await completeJob(host)(job, result)()
 * ```
 */
export const executeEffect = (
  handlers: EffectHandlers,
  jitter: number,
): ((job: Job) => T.Task<EffectResult>) => {
  const { providers } = handlers
  return (job) => {
    const { payload, key: inReplyTo } = job
    const request = {
      key: job.key,
      orderRef: job.orderRef,
      firstAt: job.firstAt,
      at: job.startedAt,
    }
    const callProvider = providerCaller({ clock: handlers.clock, jitter, job })

    switch (payload.kind) {
      case 'timer':
        return async () => finish('delivered', timerEvent(inReplyTo, payload.timer))
      case 'sms':
        return callProvider(() => providers.sms.send({ ...request, payload }))
      case 'screening':
        return callProvider(
          () => providers.screening.screen({ ...request, payload }),
          (screened) => ({ ...screened, type: 'screening.resolved', inReplyTo }),
        )
      case 'cards':
        return callProvider(
          () => providers.payments.recall({ ...request, payload }),
          (cards) => ({ type: 'cards.recalled', inReplyTo, cards }),
        )
      case 'session':
        return callProvider(
          () => providers.identity.open({ ...request, payload }),
          (update) =>
            update === null
              ? null
              : update.type === 'opened'
                ? { type: 'session.opened', inReplyTo, url: update.url }
                : { type: 'session.reported', inReplyTo, status: update.status },
        )
      case 'payment':
        return callProvider(
          () => providers.payments.open({ ...request, payload }),
          (page) => (page === null ? null : { type: 'payment.opened', inReplyTo, url: page.url }),
        )
      case 'void':
        return callProvider(() => providers.payments.void({ ...request, payload }))
      case 'refund':
        return callProvider(
          () => providers.payments.refund({ ...request, payload }),
          () => ({ type: 'payment.refunded', inReplyTo }),
        )
      case 'card':
        return callProvider(() => providers.payments.keep({ ...request, payload }))
      case 'risk':
        return callProvider(
          () =>
            pipe(
              providers.risk.assess({ ...request, payload }),
              // The merchant already knows that the order is under evaluation, so the same answer
              // again is no event.
              TE.map((reply) =>
                payload.underEvaluation &&
                reply.type === 'answer' &&
                reply.value === 'under_evaluation'
                  ? retryLater(EVALUATION_RETRY_DELAY)
                  : reply,
              ),
            ),
          (level) => ({ type: 'risk.assessed', inReplyTo, level }),
        )
      case 'watch':
        return callProvider(
          () => providers.risk.watch({ ...request, payload }),
          (advice) =>
            advice === null
              ? null
              : { type: 'cancellation.advised', inReplyTo, delay: advice.cancelIn },
        )
      case 'ipn':
      case 'event':
        return deliver(handlers, jitter, { ...job, payload })
    }
  }
}

const providerCaller =
  (scope: AttemptScope) =>
  <A>(
    call: Lazy<TE.TaskEither<ProviderError, ProviderReply<A>>>,
    toEvent: (answer: A) => OrderEvent | null = () => null,
  ): T.Task<EffectResult> =>
  async () => {
    const { clock, job } = scope
    // The effect expired before it could run, for example a code that became invalid while no
    // worker was running.
    if (isExpired(job, job.startedAt)) return finish('stopped', null)
    const answer = await catchThrown(call, PROVIDER_THREW)()
    if (E.isLeft(answer)) {
      const { _tag, thrown, ...error } = answer.left
      return { ...retry(scope, { retryAfterMillis: null, error }), thrown }
    }
    if (answer.right.type === 'answer') return finish('delivered', toEvent(answer.right.value))
    // `startedAt` may come from a clock slightly ahead of this process, such as the database's.
    // Without the maximum the port could be asked too early, and then once more. Jitter has
    // fractions, and databases store whole milliseconds.
    const dueAt = Math.max(job.startedAt, clock.now()) + answer.right.inMillis
    return retryAt(job, Math.ceil(dueAt))
  }

// One delivery and one other job at a time.
const AT_ONCE = 1

/** Who performs effects: the providers, and the gateway to merchants. */
export type DueEffectHandlers = Pick<EffectHandlers, 'providers' | 'gateway'> & {
  /**
   * Called for each failure. `thrown`: what a port threw; it may contain a shopper's data.
   */
  readonly onFailure?: (error: AttemptError, job: Job, thrown?: ThrownError) => void
}

/**
 * A minimal dispatcher for hosts that do not need a concurrent one: it runs everything that is due
 * now, one by one. Returns the jobs that it tried, successful or not. Ends when nothing more is
 * due.
 *
 * @example
 * ```ts
 * const run = runDueEffects(host, { providers, gateway })
 * const jobs = await run() // after each use case that has written, and at `host.store.nextDueAt()`
 * if (jobs._tag === 'Right') console.log(`${jobs.right.length} jobs were tried`)
 * ```
 */
export const runDueEffects =
  (
    host: Host,
    { onFailure, ...handlers }: DueEffectHandlers,
  ): TE.TaskEither<Unavailable, readonly Job[]> =>
  async () => {
    const execute = executeEffect({ ...handlers, clock: host.clock }, 0)
    const attempted: Job[] = []
    for (;;) {
      const claimed = await host.store.claim(() => ({
        at: host.clock.now(),
        capacity: { deliveries: AT_ONCE, notGood: AT_ONCE, internal: AT_ONCE },
        perAccount: AT_ONCE,
      }))()
      if (E.isLeft(claimed)) return claimed
      if (claimed.right.length === 0) return E.right(attempted)
      for (const [index, job] of claimed.right.entries()) {
        const result = await execute(job)()
        if (result.error !== null) onFailure?.(result.error, job, result.thrown)
        const completed = await completeJob(host)(job, result)()
        if (E.isLeft(completed)) {
          // So that a later call finds them.
          await host.store.release([job], 'started')()
          await host.store.release(claimed.right.slice(index + 1), 'not_started')()
          return completed
        }
        attempted.push(job)
      }
    }
  }

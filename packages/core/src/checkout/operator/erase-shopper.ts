// A shopper may ask for the erasure of their data. An operator sees first what must end before, because
// a refused erasure has destroyed nothing.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { operatorDetail } from '../../order/journal-detail.ts'
import { restingStateOf, type Terms } from '../../order/model.ts'
import { type Order, REGIONS, type Region } from '../../order/order.ts'
import { NEW_CONTEXT } from '../../order/order-context.ts'
import { nameOnWire } from '../../order/order-facts.ts'
import { addLine, type Step } from '../../order/step.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { FullStore, PendingJob, ShopperErasure } from '../../ports/store.ts'
import type { OrderNotFound, Unavailable } from '../../ports/store-errors.ts'
import { type Refused, refuse } from '../host.ts'

/** A sentence for each region in which the order still needs its shopper's data. */
const erasureBlockers = ({ state }: Order, { model }: Pick<Terms, 'model'>): readonly string[] =>
  REGIONS.filter((region) => !restingStateOf(region, state, model).isOver).map(
    (region) =>
      `The order’s ${region} ${UNFINISHED[region]}: it is ${nameOnWire(region, state, model)}.`,
  )

const UNFINISHED: { readonly [region in Region]: string } = {
  checkout: 'has not ended',
  risk: 'is not known yet',
  cancellation: 'is not decided yet',
}

/**
 * Removes the shopper from the order and adds a journal line that says so. A replay does not go
 * past that line. Everything that may still follow (a cancellation, its refund, an event) works
 * without the person. `operator`: the name of the operator who erases.
 *
 * @example
 * ```ts
 * const erasure = eraseShopper(order, host.clock.now())
 * console.log(erasure.order.context.person) // null
 * ```
 */
export const eraseShopper = (order: Order, now: number, operator?: string): Step => {
  const { updatedAt, payments } = order.context
  const { person, otp, session, cards } = NEW_CONTEXT
  const line = {
    at: Math.max(now, updatedAt),
    event: 'shopper.forgotten',
    detail: operatorDetail(operator),
    input: null,
  }
  // A payment may still be refunded, so its key stays.
  const unnamed = payments.map((payment) => ({
    ...payment,
    token: '',
    providerUrl: null,
    challenge: null,
  }))
  return addLine(order, line, { person, otp, session, cards, payments: unnamed })
}

/**
 * Operators erase a shopper's data on request. The order, its state and its history stay. `Refused`
 * while the order still needs its shopper, or has pending or stuck effects. `operator`: as in
 * `eraseShopper`.
 *
 * @example
 * ```ts
 * const erase = eraseShopperData({ erasure: storage.erasure, clock: host.clock })
 * const erased = await erase(orderRef)()
 * if (erased._tag === 'Left' && erased.left._tag === 'Refused') console.log(erased.left.sentences)
 * ```
 */
export const eraseShopperData =
  ({
    erasure,
    clock,
    terms = {},
  }: {
    readonly erasure: ShopperErasure
    readonly clock: Clock
    readonly terms?: Pick<Terms, 'model'>
  }) =>
  (
    orderRef: string,
    operator?: string,
  ): TE.TaskEither<Refused | OrderNotFound | Unavailable, 'erased' | 'already_erased'> =>
    pipe(
      erasure.erase(orderRef, (order) => {
        const blockers = erasureBlockers(order, terms)
        return blockers.length === 0
          ? E.right({ ...eraseShopper(order, clock.now(), operator), model: terms.model })
          : E.left(refuse(blockers))
      }),
      TE.mapLeft((error) =>
        error._tag === 'StillPending'
          ? refuse([`The order has jobs that are pending or stuck: ${error.lanes.join(', ')}.`])
          : error,
      ),
    )

/** Whether the order's shopper can be erased, and what stands in the way. */
export type ErasurePreview = {
  readonly order: Order
  /** What must end before, as sentences. Empty: the erasure is possible now. */
  readonly unfinished: readonly string[]
  /** The shopper was erased before. */
  readonly isRepeated: boolean
  /** Nothing has arrived since then, so that an erasure would destroy nothing. */
  readonly isErased: boolean
}

const JOB_WORDS: { readonly [state in PendingJob['state']]: (dueAt: number) => string } = {
  queued: () => 'waits for an earlier one',
  pending: (dueAt) => `is pending, due at ${new Date(dueAt).toISOString()}`,
  stuck: () => 'is stuck',
}

/**
 * Says whether `eraseShopperData` would erase now, and changes nothing.
 *
 * @example
 * ```ts
 * const preview = await previewErasure(host)(orderRef)()
 * if (preview._tag === 'Right') console.log(preview.right.unfinished)
 * ```
 */
export const previewErasure =
  ({
    store: { read, inspection },
    terms = {},
  }: {
    readonly terms?: Pick<Terms, 'model'>
    readonly store: Pick<FullStore, 'read' | 'inspection'>
  }) =>
  (orderRef: string): TE.TaskEither<OrderNotFound | Unavailable, ErasurePreview> =>
    pipe(
      TE.Do,
      TE.bindW('order', () => read(orderRef)),
      TE.bindW('payload', () => inspection.payload(orderRef)),
      TE.bindW('requests', () => inspection.requests(orderRef)),
      TE.bindW('jobs', () => inspection.pendingJobs(orderRef)),
      TE.map(({ order, payload, requests, jobs }) => ({
        order,
        unfinished: [
          ...erasureBlockers(order, terms),
          ...jobs.map(
            ({ lane, state, dueAt, isResend }) =>
              `Its ${isResend ? 'resend of' : 'job'} ${lane} ${JOB_WORDS[state](dueAt)}.`,
          ),
        ],
        isRepeated: payload === null,
        isErased: payload === null && requests.size === 0,
      })),
    )

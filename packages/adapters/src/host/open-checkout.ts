// A small host writes its routes and its providers. This has the rest, once: the terms, the gateway,
// the dispatcher, and an HTTP status for every result. Its calls resolve to plain values, so that a
// host needs no fp-ts.
import {
  type AttemptError,
  applyDecision,
  awaitOutcome,
  type Capabilities,
  type CheckUrl,
  type Clock,
  completeJob,
  confirmOrder,
  DEFAULT_RULES,
  type EffectResult,
  executeEffect,
  type Host,
  type HostProviders,
  type Idempotency,
  type Ids,
  type InternalError,
  type Job,
  type Links,
  type Merchant,
  type Order,
  type OrderModel,
  orderViewIn,
  type PaymentUpdate,
  placeOrder,
  type Rules,
  recordPayment,
  recordVerification,
  type SessionStatus,
  type Store,
  type SubmittedForm,
  submitIdentification,
  type Terms,
  type ThrownError,
  toProviders,
  type Unavailable,
  updateOrder,
  wireNames,
  wrongParts,
} from '@plazo/core/internal'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  ClosableMerchantGateway,
  SignedGatewayOptions,
} from '../http/client/signed-requests.ts'
import { systemClock, systemIds } from '../system/clock-and-ids.ts'
import { startDispatcher } from './dispatcher.ts'
import { sentencesOf, statusOf, type UseCaseError } from './use-case-errors.ts'

/** Says which URLs of a merchant may be called, and to which a shopper may be sent. */
export type UrlGuard = { readonly checkUrl: CheckUrl; readonly checkPage: CheckUrl }

/** An attempt of an effect, a claim, or a call that failed. */
export type CheckoutFailure = {
  /** The kind and the key of the effect, `claim`, or the name of the call. */
  readonly where: string
  readonly error: AttemptError | Unavailable | InternalError
  /** What a provider or the gateway threw. It may contain a shopper's data, as may every message. */
  readonly thrown?: ThrownError | undefined
}

/**
 * What a small host brings: its store, addresses, merchant, providers, and the way to call
 * merchants. The optional parts have defaults.
 */
export type CheckoutParts<Guard extends UrlGuard = UrlGuard> = {
  readonly store: Store & Partial<Pick<Capabilities, 'onCommitted'>>
  /** The service's name: a letter, then letters and digits. It is part of names on the wire. */
  readonly service: string
  readonly links: Links
  /** The host itself checks who places orders. */
  readonly merchant: Omit<Merchant, 'username' | 'passwordHash'>
  /**
   * A port that is left out answers for itself: the risk is low, no card is kept, and the host's own
   * pages take payments and verify shoppers. Without `payments`, refunds fail until they are given.
   */
  readonly providers: Pick<HostProviders, 'screening' | 'sms'> & Partial<HostProviders>
  /** For example `addressGuard({ allow: [] })` of `@plazo/adapters/http`. */
  readonly guard: Guard
  /** `merchantGateway` of `@plazo/adapters/http`, or `fetchGateway` of `@plazo/adapters/fetch`. */
  readonly gateway: (
    options: SignedGatewayOptions & { readonly guard: Guard },
  ) => ClosableMerchantGateway
  /** Default: `DEFAULT_RULES`. */
  readonly rules?: Partial<Rules>
  /** Your own statechart and products, which the store is given too. Default: plazo's. */
  readonly model?: OrderModel
  /** Domain time. Default: the machine's clock. */
  readonly clock?: Clock
  /** Its `orderRef` is the uuid of a new order. Default: random values. */
  readonly ids?: Ids
  /** Default: a line on standard error, without what was thrown and without messages. */
  readonly onFailure?: (failure: CheckoutFailure) => void
}

/** An answer over HTTP; `body` is JSON. An error has sentences for the caller. */
export type Answer<A> =
  | { readonly status: 200; readonly body: A }
  | {
      readonly status: ReturnType<typeof statusOf>
      readonly body: { readonly errors: readonly string[] }
    }

// As in the bundled server.
const LIMITS = { deliveries: 64, internal: 32, perAccount: 4 }
const JITTER = 0.1
const STOP_MILLIS = 30_000

/**
 * The checkout of one merchant on any store, for hosts that run the jobs themselves: a workflow
 * engine gives each call a store in a value. Each call resolves to an `Answer`, and none rejects.
 * Throws a `RangeError` with a sentence for each wrong part.
 */
export const checkoutOver = <Guard extends UrlGuard>(
  parts: Omit<CheckoutParts<Guard>, 'store'>,
) => {
  const providers = { ...DEFAULT_PROVIDERS, ...parts.providers }
  const wrong = wrongParts({ ...parts, providers })
  if (wrong.length > 0) throw new RangeError(wrong.join('\n'))
  const { service, links, guard, model, onFailure = printFailure } = parts
  const { clock = systemClock, ids: defaultIds = systemIds } = parts
  const { ref, signatureSecret } = parts.merchant
  const merchant: Merchant = { ...parts.merchant, username: ref, passwordHash: '' }
  const names = wireNames(service, `${service.toLowerCase()}_state`)
  const terms: Terms = { rules: { ...DEFAULT_RULES, ...parts.rules }, links, names, model }
  const gateway = parts.gateway({
    names,
    guard,
    secretsOf: (merchantRef) => TE.right(merchantRef === ref ? [signatureSecret] : []),
    realNow: Date.now,
  })
  const execute: (job: Job) => Task<EffectResult> = executeEffect(
    { providers: toProviders(providers), gateway, clock, realNow: Date.now },
    JITTER,
  )

  const answer = async <A>(
    where: string,
    useCase: TE.TaskEither<UseCaseError, A>,
  ): Promise<Answer<A>> => {
    const result = await useCase()
    if (result._tag === 'Right') return { status: 200, body: result.right }
    const { left: error } = result
    if (error._tag === 'Unavailable' || error._tag === 'InternalError') onFailure({ where, error })
    return { status: statusOf(error._tag), body: { errors: sentencesOf(error) } }
  }
  const answerOrder = (where: string, useCase: TE.TaskEither<UseCaseError, Order>) =>
    answer(
      where,
      TE.map((order: Order) => orderViewIn(order.placed.language, model)(order))(useCase),
    )

  /** `ids.orderRef`: the uuid of a new order. */
  const on = (store: Store, ids: Ids = defaultIds) => {
    const host: Host = { store, clock, ids, terms }
    return {
      /** For other use cases of core, whose results `answer` turns into answers. */
      host,
      answer,
      /** A new order, or the one that had the key. The body of the answer is its uuid. */
      place: (body: unknown, idempotency?: Idempotency) =>
        answer(
          'place',
          placeOrder(host, guard.checkUrl, guard.checkPage)(merchant, body, idempotency),
        ),
      /** The shopper's form. */
      submit: (orderRef: string, form: SubmittedForm) =>
        answer('submit', submitIdentification(host)(orderRef, form)),
      /** What the frontend does next. */
      wait: (orderRef: string) => answer('wait', awaitOutcome(host)(orderRef)),
      /** The order as its merchant sees it. */
      view: (orderRef: string) => answerOrder('view', store.read(orderRef)),
      /** The result of a payment, by the token in its `pay` link. */
      pay: (orderRef: string, token: string, update: PaymentUpdate) =>
        answerOrder('pay', TE.map(orderOf)(recordPayment(host)(orderRef, token, update))),
      /** The result of an ID session, by the token in its `verify` link. */
      verify: (orderRef: string, token: string, status: SessionStatus) =>
        answerOrder('verify', TE.map(orderOf)(recordVerification(host)(orderRef, token, status))),
      /** The merchant confirms or holds the order, or gives references. */
      confirm: (orderRef: string, body: unknown) =>
        answerOrder('confirm', confirmOrder(host)({ account: ref }, orderRef, body)),
      /** The merchant reports a shipment or a cancellation. */
      update: (reference: string, body: unknown) =>
        answer('update', updateOrder(host)(ref, reference, body)),
      /** The operator's decisions about an order on hold. */
      approve: (orderRef: string) =>
        answerOrder('approve', applyDecision(host)(orderRef, { type: 'review.approved' })),
      reject: (orderRef: string) =>
        answerOrder('reject', applyDecision(host)(orderRef, { type: 'review.rejected' })),
    }
  }

  return {
    on,
    /** Runs a job. Its result goes to `completeJob`, also if the attempt has failed. */
    execute,
    /** Closes the connections to merchants. */
    close: gateway.close,
  }
}

/**
 * Opens the checkout of one merchant and starts its dispatcher, which runs each effect when it is
 * due. Each call resolves to an `Answer`, and none rejects. Throws a `RangeError` with a sentence for
 * each wrong part.
 */
export const openCheckout = <Guard extends UrlGuard>(parts: CheckoutParts<Guard>) => {
  const { store, clock = systemClock, onFailure = printFailure } = parts
  // If the store was left out, it is named too.
  const allParts = { ...parts, store }
  const checkout = checkoutOver(allParts)
  const calls = checkout.on(store)
  const dispatcher = startDispatcher({
    store,
    clock,
    executeEffect: checkout.execute,
    complete: completeJob(calls.host),
    limits: LIMITS,
    onFailure: (error, { key, payload }, thrown) =>
      onFailure({ where: `${payload.kind} ${key}`, error, thrown }),
    onClaimFailure: (error) => onFailure({ where: 'claim', error }),
  })
  return {
    ...calls,
    /**
     * The calls on another store, such as one inside a transaction of your program, which commits
     * what they write or rolls it back.
     */
    on: checkout.on,
    /** Resolves once nothing is due and nothing is in flight. Waits while another process starts jobs. */
    drain: async () => {
      await dispatcher.drain()
    },
    /** Waits for effects in flight, at most 30 s. The store stays open. */
    close: async () => {
      await dispatcher.stop(STOP_MILLIS)
      checkout.close()
    },
  }
}

/**
 * An open host: a function for each call of shopper, merchant and operator, which resolves to `{
 * status, body }`, and `close()`, which waits for the effects in flight.
 */
export type Checkout = ReturnType<typeof openCheckout>

const orderOf = ({ order }: { readonly order: Order }) => order

const DEFAULT_PROVIDERS: Omit<HostProviders, 'screening' | 'sms'> = {
  identity: { open: async () => null },
  payments: {
    open: async () => null,
    void: async () => null,
    refund: async () => {
      throw new Error('Money must be returned: give openCheckout the port `payments`.')
    },
    recall: async () => [],
    keep: async () => null,
  },
  risk: { assess: async () => 'low_risk' as const, watch: async () => null },
}

const printFailure = ({ where, error, thrown }: CheckoutFailure) => {
  const reason = 'reason' in error ? error.reason : error._tag
  const what = thrown?.names[0] === undefined ? '' : `, because ${thrown.names[0]} was thrown`
  console.error(`plazo: ${where} failed (${reason})${what}. Give onFailure to see more.`)
}

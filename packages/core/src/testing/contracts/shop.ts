// Creates real orders on a store under test, through core's own use cases, at a time that the test
// sets. Random values are fixed, so that two stores with the same calls hold the same data, no
// matter how often each of them decides.
import {
  type AttemptResult,
  applyDecision,
  type ClaimRequest,
  type CompletionResult,
  completeJob,
  confirmOrder,
  type DeliveryFilter,
  type FullStore,
  type Host,
  type InternalError,
  initialStep,
  type Job,
  type JournalLine,
  type Merchant,
  type Order,
  type OrderEvent,
  type Placed,
  type Report,
  type Step,
  type Store,
  step,
  submitIdentification,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { PLACED, SHOPPER, TERMS } from '../harness/order-fixture.ts'

/** When the tests of contracts begin: a Monday in 2026, epoch milliseconds. */
export const NOON = Date.UTC(2026, 0, 5, 12)

/** 1,000 milliseconds. */
export const SECOND = 1000

/** 60,000 milliseconds. */
export const MINUTE = 60 * SECOND

/** 3,600,000 milliseconds. */
export const HOUR = 60 * MINUTE

/** The code that every SMS of a shop carries. */
export const CODE = '24680'

/**
 * A merchant in Spain with four products, their ref as username, and the members that you change.
 */
export const aMerchant = (ref = 'demo', changes: Partial<Merchant> = {}): Merchant => ({
  ref,
  name: `Tienda ${ref}`,
  username: ref,
  passwordHash: `scrypt$c2FsdA$${ref}`,
  signatureSecret: '0123456789abcdef0123456789abcdef',
  country: 'ES',
  currency: 'EUR',
  products: ['i1', 'pp3', 'sp1', 'fp1'],
  optionalFields: [],
  sendActionEvents: true,
  ...changes,
})

/** Fields of the form that differ from those of `anotherPerson`. */
export const aPerson = { given_names: 'Ana María "✓"', nin: '12345678Z' } as const

/** Fields of the form that belong to somebody else than `aPerson`. */
export const anotherPerson = { given_names: 'Eva', nin: '00000000T' } as const

const identification = (
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => ({
  ...SHOPPER,
  ...aPerson,
  surnames: "Prueba O'Ensayo",
  service_privacy_policy_accepted: true,
  ...fields,
})

/** The terms of the orders that contracts place. */
export const terms = TERMS

/** The value of a Right. A Left fails the test. */
export const unwrap = async <Err, A>(task: TaskEither<Err, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw new Error(`Expected an answer, got ${JSON.stringify(result.left)}.`)
  return result.right
}

/** The result of a job that ended with this status. */
export const finishedAs = (
  as: Extract<AttemptResult, { type: 'finished' }>['status'] = 'delivered',
): AttemptResult => ({
  type: 'finished',
  status: as,
})

/** By default nothing limits accounts and merchants. */
export type ClaimOptions = Partial<Omit<ClaimRequest, 'capacity'> & ClaimRequest['capacity']>

/**
 * A shop on a store under test: it places orders, acts for everybody, and runs jobs by hand.
 * Failures throw.
 */
export type StoreShop<Opened extends Store = FullStore> = {
  readonly host: Host & { readonly store: Opened }
  readonly store: Opened
  /** Domain time, epoch milliseconds. */
  readonly now: () => number
  readonly advance: (millis: number) => void
  readonly place: (merchant?: Merchant, reference?: string) => Promise<string>
  /** A step that places an order, not yet stored. */
  readonly preparePlacing: (merchant?: Merchant, reference?: string) => Step
  readonly submit: (
    orderRef: string,
    overrides?: Readonly<Record<string, unknown>>,
  ) => ReturnType<typeof submitForm>
  /** Submits the form with the code that every SMS carries. */
  readonly enterCode: (orderRef: string) => ReturnType<typeof submitForm>
  readonly applyEvent: (orderRef: string, event: OrderEvent) => Promise<Order>
  readonly putConfirmed: (orderRef: string) => Promise<Order>
  readonly cancel: (orderRef: string) => Promise<Order>
  readonly read: (orderRef: string) => Promise<Order>
  readonly journal: (orderRef: string) => Promise<readonly JournalLine[]>
  readonly claim: (options?: ClaimOptions) => Promise<readonly Job[]>
  readonly claimDeliveries: (options?: ClaimOptions) => Promise<readonly Job[]>
  /** Claims jobs that are no deliveries. */
  readonly claimWork: (options?: ClaimOptions) => Promise<readonly Job[]>
  /** Claims, and returns the first job. Throws if nothing is due. */
  readonly claimFirst: (options?: ClaimOptions) => Promise<Job>
  /** Claims the due job of this order and lane. Releases all others that are due. */
  readonly claimOne: (orderRef: string, lane: string, options?: ClaimOptions) => Promise<Job>
  readonly completeClaim: (
    job: Job,
    event: OrderEvent | null,
    attemptResult?: AttemptResult,
    report?: Report | null,
  ) => Promise<CompletionResult>
  /** Completes all due jobs except deliveries: screening approves, all other jobs succeed. */
  readonly work: () => Promise<void>
  /** Places an order whose shopper has to enter a code. */
  readonly placeAndSubmit: (merchant?: Merchant, reference?: string) => Promise<string>
  /** Leads an order through code and screening until the merchant is asked to confirm. */
  readonly leadToConfirmation: (orderRef: string) => Promise<void>
  /** Places an order that its merchant is asked to confirm. */
  readonly placeConfirming: (merchant?: Merchant, reference?: string) => Promise<string>
}

const submitForm = (host: Host, orderRef: string, changes: Readonly<Record<string, unknown>>) =>
  unwrap(submitIdentification(host)(orderRef, identification(changes)))

/** Opens a shop on a store. Its clock begins at `NOON`, and its random values are fixed. */
export const openShop = <Opened extends Store>(store: Opened): StoreShop<Opened> => {
  let now = NOON
  let drawCount = 0
  const host: StoreShop<Opened>['host'] = {
    store,
    terms,
    clock: { now: () => now },
    ids: {
      orderRef: () => `00000000-0000-4000-8000-${String(++drawCount).padStart(12, '0')}`,
      random: () => ({ code: CODE, token: 'token' }),
    },
  }

  const claim: StoreShop['claim'] = ({
    at = now,
    perAccount = null,
    internal = 100,
    deliveries = 100,
    notGood = deliveries,
    slow = [],
  } = {}) =>
    unwrap(
      store.claim(() => ({
        at,
        perAccount,
        capacity: { internal, deliveries, notGood },
        slow,
      })),
    )

  const applyEvent: StoreShop['applyEvent'] = (orderRef, event) =>
    unwrap(
      store.step<InternalError, Order>(orderRef, (order, referenceIsTaken) => {
        const result = step(terms)(order, event, {
          at: now,
          random: host.ids.random(),
          referenceIsTaken,
        })
        return E.isLeft(result)
          ? result
          : E.right({ step: result.right, answer: result.right.order })
      }),
    )

  const completeClaim: StoreShop['completeClaim'] = (
    job,
    event,
    attemptResult = finishedAs(),
    report = null,
  ) => unwrap(completeJob(host)(job, { event, attemptResult, error: null, report }))

  const replyTo = ({ key, payload }: Job): OrderEvent | null => {
    switch (payload.kind) {
      case 'screening':
        return {
          type: 'screening.resolved',
          inReplyTo: key,
          outcome: 'approved',
          alternative: null,
        }
      case 'cards':
        return { type: 'cards.recalled', inReplyTo: key, cards: [] }
      case 'timer':
        return { type: 'timer.fired', inReplyTo: key, timer: payload.timer }
      default:
        return null
    }
  }

  const shop: StoreShop<Opened> = {
    host,
    store,
    now: () => now,
    advance: (millis) => {
      now += millis
    },
    place: async (merchant, reference) => {
      const result = shop.preparePlacing(merchant, reference)
      await unwrap(store.place(result, '{"order":{}}'))
      return result.order.placed.orderRef
    },
    preparePlacing: (
      { ref, username, country, products, optionalFields, sendActionEvents } = aMerchant(),
      reference = '',
    ) => {
      const placed: Placed = {
        ...PLACED,
        orderRef: host.ids.orderRef(),
        placedAt: now,
        merchant: {
          ref,
          account: username,
          country,
          products,
          optionalFields,
          sendsActionEvents: sendActionEvents,
        },
        notificationParameters: { 'clé "✓"': "ñ ' %" },
        language: null,
      }
      const stepInput = { at: now, random: host.ids.random(), referenceIsTaken: false }
      const result = initialStep(terms)(placed, { first: reference, second: '' }, stepInput)
      if (E.isLeft(result)) throw new Error(result.left.message)
      return result.right
    },
    submit: (orderRef, changes = {}) => submitForm(host, orderRef, changes),
    enterCode: (orderRef) => submitForm(host, orderRef, { validation_code: CODE }),
    applyEvent,
    putConfirmed: async (orderRef) => {
      const { placed } = await unwrap(store.read(orderRef))
      return unwrap(
        confirmOrder(host)({ account: placed.merchant.account }, orderRef, {
          order: { state: 'confirmed' },
        }),
      )
    },
    cancel: (orderRef) =>
      unwrap(applyDecision(host)(orderRef, { type: 'order.cancelled', by: 'operator' })),
    read: (orderRef) => unwrap(store.read(orderRef)),
    journal: (orderRef) => unwrap(store.journal(orderRef)),
    claim,
    claimDeliveries: (options) => claim({ ...options, internal: 0 }),
    claimWork: (options) => claim({ ...options, deliveries: 0 }),
    claimFirst: async (options) => {
      const [first] = await claim(options)
      if (first === undefined) throw new Error('Nothing is due.')
      return first
    },
    claimOne: async (orderRef, lane, options = {}) => {
      const jobs = await claim(options)
      const isRequested = (job: Job): boolean => job.orderRef === orderRef && job.lane === lane
      const others = jobs.filter((job) => !isRequested(job))
      await unwrap(store.release(others, 'not_started'))
      const requested = jobs.find(isRequested)
      if (requested === undefined)
        throw new Error(`Nothing is due in ${lane}, but in ${lanesOf(jobs)}.`)
      return requested
    },
    completeClaim,
    work: async () => {
      for (const job of await shop.claimWork()) await completeClaim(job, replyTo(job))
    },
    placeAndSubmit: async (merchant, reference) => {
      const orderRef = await shop.place(merchant, reference)
      await shop.submit(orderRef)
      return orderRef
    },
    placeConfirming: async (merchant, reference) => {
      const orderRef = await shop.place(merchant, reference)
      await shop.leadToConfirmation(orderRef)
      return orderRef
    },
    leadToConfirmation: async (orderRef) => {
      await shop.submit(orderRef)
      await shop.enterCode(orderRef)
      await shop.work()
      await shop.submit(orderRef)
    },
  }
  return shop
}

/** The newest deliveries of the merchant `demo`, unless the filter says otherwise. */
export const listedDeliveries = (
  { deliveries }: FullStore,
  changes: Partial<DeliveryFilter> = {},
) =>
  unwrap(
    deliveries.list({
      merchantRef: 'demo',
      orderRef: null,
      state: null,
      before: null,
      limit: 1000,
      ...changes,
    }),
  )

/** The lanes of jobs, in alphabetical order. */
export const lanesOf = (jobs: readonly Job[]): readonly string[] =>
  jobs.map(({ lane }) => lane).sort()

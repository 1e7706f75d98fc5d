// One order with everything around it, on a store that the caller provides: a manual clock,
// providers and a merchant that follow a script, and a recorder of everything that happens. Nothing
// here waits: a week passes as fast as it is computed.
import * as E from 'fp-ts/lib/Either.js'
import type { Host } from '../../checkout/host.ts'
import { confirmOrder, updateOrder } from '../../checkout/merchant/order-updates.ts'
import { applyDecision } from '../../checkout/operator/order-decisions.ts'
import { awaitOutcome, submitIdentification } from '../../checkout/shopper/submit-identification.ts'
import { runDueEffects } from '../../checkout/worker/execute-effect.ts'
import {
  type PaymentUpdate,
  recordPayment,
  recordVerification,
} from '../../checkout/worker/record-provider-result.ts'
import type { OrderModel, Terms } from '../../order/model.ts'
import type { Order, OrderEvent } from '../../order/order.ts'
import type { Placed } from '../../order/order-context.ts'
import { presentTotal } from '../../order/reduction.ts'
import { type InternalError, initialStep, type JournalLine, step } from '../../order/step.ts'
import type { Store } from '../../ports/store.ts'
import type { WaitAction } from '../../protocol/action.ts'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import { recordingGateway, recordingProviders } from '../trace/recording-ports.ts'
import { recordingStore } from '../trace/recording-store.ts'
import type { MerchantAction, OperatorAction, ReceivedAnswer, Trace } from '../trace/trace.ts'
import { traceOf, traceRecorder } from '../trace/trace-recorder.ts'
import { ANA, EVA, PLACED, TERMS } from './order-fixture.ts'
import { HAPPY_PATH, type Script, scriptedGateway, scriptedProviders } from './provider-script.ts'

/** How the order is placed. Absent settings take their defaults. */
export type HarnessOptions = {
  readonly sendsActionEvents?: boolean
  readonly hasIpn?: boolean
  readonly hasEvents?: boolean
  readonly language?: string | null
  /** A host's own model. Default: ours. */
  readonly model?: OrderModel
}

/** Wrappers for parts of a harness, for example to insert a fault. */
export type HarnessWrappers = {
  readonly host?: (host: Host) => Host
  /** Wraps the answers of an endpoint. */
  readonly answer?: (
    endpoint: 'identification' | 'wait',
    answer: ReceivedAnswer,
    at: number,
  ) => ReceivedAnswer
}

const NOON = Date.UTC(2026, 0, 5, 12)

/** Ana's form, with her phone and ID number in their normalised spelling. */
export const PERSON = {
  ...ANA,
  mobile_phone: '600123456',
  nin: '12345678Z',
  service_privacy_policy_accepted: true,
} as const

export const OTHER_PERSON = { ...PERSON, given_names: EVA.given_names, nin: EVA.nin } as const

const MERCHANT = 'demo'
const PARAMETERS = { shop: '7', event: 'mine', 'ñ &': '√ + %' }

const placedWith = (setting: HarnessOptions, orderRef: string): Placed => ({
  ...PLACED,
  orderRef,
  placedAt: NOON,
  merchant: {
    ...PLACED.merchant,
    ref: MERCHANT,
    account: MERCHANT,
    products: ['i1', 'pp3', 'sp1', 'fp1'],
    sendsActionEvents: setting.sendsActionEvents ?? true,
  },
  notifyUrl: (setting.hasIpn ?? true) ? PLACED.notifyUrl : null,
  eventsWebhook:
    (setting.hasEvents ?? true) ? { url: 'http://shop.test/events', parameters: PARAMETERS } : null,
  language: setting.language ?? null,
})

/** One order and everybody around it. Each function acts and waits until the store has answered. */
export type OrderHarness = {
  readonly host: Host
  readonly change: (change: Partial<Script>) => void
  /** The code of the last message, or null. */
  readonly lastCode: () => string | null
  readonly order: () => Promise<Order>
  /** The journal in the store. */
  readonly journal: () => Promise<readonly JournalLine[]>
  /** `wrongFields`: the fields that the caller knows to be wrong. */
  readonly submit: (
    body: Readonly<Record<string, unknown>>,
    wrongFields?: readonly string[],
  ) => Promise<ReceivedAnswer>
  readonly poll: () => Promise<ReceivedAnswer>
  /** Pays on the page of the open payment, or of the payment with the index `which`. */
  readonly pay: (update: PaymentUpdate, which?: number) => Promise<void>
  readonly verify: (status: SessionStatus) => Promise<void>
  readonly merchantSays: (act: MerchantAction['act']) => Promise<boolean>
  readonly operatorDoes: (act: OperatorAction['act']) => Promise<boolean>
  /** Sends an event to the order, for example an old answer that arrives late. */
  readonly send: (event: OrderEvent) => Promise<void>
  /** Runs everything that is due now. */
  readonly runDueJobs: () => Promise<void>
  /** Moves the clock. Everything that becomes due runs at its own instant. */
  readonly advance: (millis: number) => Promise<void>
  readonly trace: () => Trace
}

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(`The harness failed: ${JSON.stringify(result.left)}`)
  return result.right
}

/** Opens a harness on an empty store, and places its order. */
export const openHarness = async (
  store: Store,
  setting: HarnessOptions = {},
  wrapping: HarnessWrappers = {},
): Promise<OrderHarness> => {
  let now = NOON
  let drawCount = 0
  let script = HAPPY_PATH
  let cause: string | null = null
  let requestCount = 0
  const recorder = traceRecorder()
  const clock = { now: () => now }
  const terms: Terms = setting.model === undefined ? TERMS : { ...TERMS, model: setting.model }
  const recorded = { terms, clock, recorder }
  const orderRef = '00000000-0000-4000-8000-000000000001'
  const placed = placedWith(setting, orderRef)
  const host: Host = (wrapping.host ?? ((host) => host))({
    store: recordingStore(recorded, store, () => cause),
    clock,
    terms,
    ids: {
      orderRef: () => orderRef,
      // These codes occur nowhere else: no amount, postal code or port looks like one.
      random: () => ({ code: String(90_000 + (++drawCount % 9_000)), token: `token-${drawCount}` }),
    },
  })
  const currentScript = () => script
  const confirmByPut = (state: 'confirmed' | 'on_hold') => merchantSays(state)
  const handlers = {
    providers: recordingProviders(recorded, scriptedProviders(currentScript)),
    gateway: recordingGateway(recorded, scriptedGateway(currentScript, confirmByPut)),
  }
  const wrapAnswer = wrapping.answer ?? ((_, answer) => answer)

  const withCause = async <A>(id: string | null, run: () => Promise<A>): Promise<A> => {
    cause = id
    try {
      return await run()
    } finally {
      cause = null
    }
  }

  const runDueJobs = async (): Promise<void> => {
    for (;;) if (right(await runDueEffects(host, handlers)()).length === 0) break
    recorder.record(null, { part: 'idle', at: now })
  }

  const merchantSays: OrderHarness['merchantSays'] = async (act) => {
    const isAccepted = E.isRight(await merchantCall(act))
    recorder.record(orderRef, { part: 'merchant', at: now, act, isAccepted })
    return isAccepted
  }

  const merchantCall = async (act: MerchantAction['act']) => {
    const caller = { account: MERCHANT }
    switch (act) {
      case 'confirmed':
      case 'on_hold':
        return confirmOrder(host)(caller, orderRef, { order: { state: act } })()
      case 'references':
        return confirmOrder(host)(caller, orderRef, {
          order: { merchant_reference: { order_ref_1: 'R/2' } },
        })()
      case 'cancelled':
      case 'updated':
      case 'reduced': {
        const confirmed = right(await host.store.read(orderRef)())
        const present = presentTotal(confirmed)
        const total = { cancelled: 0, updated: present, reduced: Math.floor(present / 3) }[act]
        const shipped = {
          order_total_with_tax: total,
          items: act === 'cancelled' ? [] : [{ total_with_tax: total }],
        }
        const order = {
          shipped_cart: shipped,
          unshipped_cart: { order_total_with_tax: 0, items: [] },
        }
        return updateOrder(host)(MERCHANT, confirmed.context.references.first, { order })()
      }
    }
  }

  const DECISIONS = {
    approve: { type: 'review.approved' },
    reject: { type: 'review.rejected' },
    'request-cancellation': { type: 'cancellation.requested' },
    cancel: { type: 'order.cancelled', by: 'operator' },
  } as const

  const harness: OrderHarness = {
    host,
    change: (change) => {
      script = { ...script, ...change }
    },
    lastCode: () => {
      const message = recorder.entriesOf(orderRef).findLast((each) => each.part === 'message')
      return message?.part === 'message' ? message.code : null
    },
    order: async () => right(await host.store.read(orderRef)()),
    journal: async () => right(await host.store.journal(orderRef)()),
    submit: async (body, wrongFields = []) => {
      const id = `submission ${++requestCount}`
      const action = await withCause(id, () => submitIdentification(host)(orderRef, body)())
      const answer = wrapAnswer('identification', { status: 200, body: right(action) }, now)
      recorder.record(orderRef, { part: 'submission', at: now, id, body, wrongFields, answer })
      return answer
    },
    poll: async () => {
      const id = `poll ${++requestCount}`
      const action = await withCause(id, () => awaitOutcome(host)(orderRef)())
      const answer = wrapAnswer('wait', { status: 200, body: right(action) as WaitAction }, now)
      recorder.record(orderRef, { part: 'poll', at: now, id, answer })
      return answer
    },
    pay: async (update, which) => {
      const { payments } = (await harness.order()).context
      const payment =
        which === undefined ? payments.findLast(({ state }) => state === 'open') : payments[which]
      if (payment === undefined) return
      const isUnfinished = !['succeeded', 'unexpected'].includes(payment.state)
      right(await recordPayment(host)(orderRef, payment.token, update)())
      const what =
        update.type === 'payment.succeeded'
          ? 'succeeded'
          : update.type === 'payment.failed'
            ? 'failed'
            : null
      if (what !== null && isUnfinished)
        recorder.record(orderRef, {
          part: 'payment',
          at: now,
          payment: payment.key,
          what,
          amount: what === 'succeeded' ? payment.amount : null,
          refund: null,
        })
    },
    verify: async (status) => {
      const { session, pending } = (await harness.order()).context
      if (session === null || pending.session === undefined) return
      right(await recordVerification(host)(orderRef, session.token, status)())
      recorder.record(orderRef, { part: 'decision', at: now, by: 'identity', answer: status })
    },
    merchantSays,
    operatorDoes: async (act) => {
      const isAccepted = E.isRight(await applyDecision(host)(orderRef, DECISIONS[act])())
      recorder.record(orderRef, { part: 'operator', at: now, act, isAccepted })
      return isAccepted
    },
    send: async (event) => {
      await host.store.step<InternalError, null>(orderRef, (order, referenceIsTaken) => {
        const result = step(terms)(order, event, {
          at: now,
          random: host.ids.random(),
          referenceIsTaken,
        })
        return E.isLeft(result) ? result : E.right({ step: result.right, answer: null })
      })()
    },
    runDueJobs,
    advance: async (millis) => {
      const until = now + millis
      for (;;) {
        await runDueJobs()
        const next = right(await store.nextDueAt()())
        if (next === null || next > until) break
        // A job that is due but cannot be started must not stop the clock.
        now = Math.max(next, now + (next <= now ? 1 : 0))
      }
      now = Math.max(now, until)
      recorder.record(null, { part: 'clock', at: now })
      await runDueJobs()
    },
    trace: () => traceOf(recorder, { placed }, terms),
  }
  const stepInput = { at: now, random: host.ids.random(), referenceIsTaken: false }
  const references = { first: 'R/1', second: '' }
  right(
    await host.store.place(
      right(initialStep(terms)(placed, references, stepInput)),
      '{"order":{}}',
    )(),
  )
  return harness
}

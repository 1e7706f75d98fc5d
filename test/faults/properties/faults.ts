// One deliberate fault for each invariant. Each is placed around the rules and never in them: a
// step, an answer or a job is changed on its way. Each comes with a history in which it shows.
import type { Effect, FullStore, Host, Order, Step } from '@plazo/core/internal'
import type { Act, HarnessWrappers, ReceivedAnswer } from '@plazo/core/internal/testing'
import type { HarnessOptions } from '@plazo/core/testing'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export type Fault = {
  /** The number of the invariant that catches it. */
  readonly invariantNumber: number
  readonly fault: string
  readonly wrapping: () => HarnessWrappers
  readonly acts: readonly Act[]
  readonly setting?: HarnessOptions
}

type Decider = Parameters<FullStore['step']>[1]

const withDecision = (change: (decide: Decider) => Decider): HarnessWrappers => ({
  host: (host: Host): Host => ({
    ...host,
    store: {
      ...host.store,
      step: (orderRef, decide) =>
        host.store.step(orderRef, change(decide as Decider) as typeof decide),
      complete: (entry, completion) =>
        host.store.complete(entry, {
          ...completion,
          decide:
            completion.decide && (change(completion.decide as Decider) as typeof completion.decide),
        }),
    },
  }),
})

/** The rules see a different order from the stored one. */
const changeReadOrder = (change: (order: Order) => Order): HarnessWrappers =>
  withDecision((decide) => (order, referenceIsTaken) => decide(change(order), referenceIsTaken))

/** Changes a step before it is committed. */
const changeStep = (change: (result: Step) => Step): HarnessWrappers =>
  withDecision(
    (decide) => (order, referenceIsTaken) =>
      pipe(
        decide(order, referenceIsTaken),
        E.map((decided) => ({
          ...decided,
          step: decided.step.journal.length === 0 ? decided.step : change(decided.step),
        })),
      ),
  )

const changeAnswer = (
  endpoint: 'identification' | 'wait',
  change: (body: Readonly<Record<string, unknown>>) => unknown,
): HarnessWrappers => ({
  answer: (request, answer): ReceivedAnswer =>
    request === endpoint
      ? { ...answer, body: change(answer.body as Readonly<Record<string, unknown>>) }
      : answer,
})

const withCheckoutState = (result: Step, checkout: Order['state']['checkout']): Step => ({
  ...result,
  order: {
    ...result.order,
    state: { ...result.order.state, checkout },
    // The state `failed` needs a reason.
    context: { ...result.order.context, failure: 'payment' },
  },
  journal: result.journal.map((line) => ({ ...line, to: { ...line.to, checkout } })),
})

const withoutEffects = (result: Step, is: (effect: Effect) => boolean): Step => ({
  ...result,
  effects: result.effects.filter((effect) => !is(effect)),
})

const submit = (overrides: Partial<Extract<Act, { type: 'submit' }>> = {}): Act => ({
  type: 'submit',
  who: 'Ana',
  code: 'none',
  product: 'i1',
  wrongField: null,
  ...overrides,
})
const POLL: Act = { type: 'poll' }
const pass = (millis: number): Act => ({ type: 'pass', millis })
const script = (change: Extract<Act, { type: 'script' }>['change']): Act => ({
  type: 'script',
  change,
})
const operator = (act: Extract<Act, { type: 'operator' }>['act']): Act => ({
  type: 'operator',
  act,
})

type Product = Extract<Act, { type: 'submit' }>['product']

const reachScreened = (product: Product = 'i1'): readonly Act[] => [
  submit({ product }),
  submit({ product, code: 'last' }),
  pass(2_000),
]
const reachRevealed = (product: Product = 'i1'): readonly Act[] => [
  ...reachScreened(product),
  submit({ product }),
  POLL,
]
const PAY: Act = { type: 'pay', outcome: 'succeeded', isOld: false }

export const FAULTS: readonly Fault[] = [
  {
    invariantNumber: 1,
    fault: 'wait answers an action of its own making',
    wrapping: () =>
      changeAnswer('wait', (body) =>
        body.action === 'finish' ? { ...body, action: 'finished' } : body,
      ),
    acts: reachRevealed(),
  },
  {
    invariantNumber: 2,
    fault: 'wait counts down under the name that identification has for it',
    wrapping: () =>
      changeAnswer('wait', ({ expires_in, ...body }) =>
        expires_in === undefined ? body : { ...body, expires_in_seconds: expires_in },
      ),
    acts: [...reachScreened().slice(0, 2), POLL],
  },
  {
    invariantNumber: 3,
    fault: 'a refused form names a field too many',
    wrapping: () =>
      changeAnswer('identification', (body) =>
        body.action === 'show_identification_form'
          ? { ...body, errors: { ...(body.errors as object), city: 'invalid' } }
          : body,
      ),
    acts: [submit({ wrongField: 'nin' })],
  },
  {
    invariantNumber: 4,
    fault: 'a poll that is asked for the second time goes on by itself',
    wrapping: () => {
      let polls = 0
      return changeAnswer('wait', (body) =>
        ++polls > 1 ? { action: 'require_validate_otp' } : body,
      )
    },
    acts: [POLL, POLL],
  },
  {
    invariantNumber: 5,
    fault: 'a change is not pushed',
    wrapping: () =>
      changeStep((result) =>
        withoutEffects(
          result,
          (effect) =>
            effect.type === 'do' &&
            effect.lane === 'action' &&
            result.order.state.checkout === 'confirmed',
        ),
      ),
    acts: reachRevealed(),
  },
  {
    invariantNumber: 6,
    fault: 'a rejected order is screened once more',
    wrapping: () =>
      changeReadOrder((order) =>
        order.state.checkout === 'rejected'
          ? {
              ...order,
              state: { ...order.state, checkout: 'screened' },
              context: {
                ...order.context,
                screening: { ...order.context.screening, outcome: 'approved' },
              },
            }
          : order,
      ),
    acts: [script({ screening: 'denied' }), ...reachRevealed(), submit(), POLL],
  },
  {
    invariantNumber: 7,
    fault: 'an IPN that nobody took confirms the order',
    wrapping: () =>
      changeReadOrder((order) => ({
        ...order,
        context: { ...order.context, merchantConfirmed: true },
      })),
    acts: [script({ ipn: 503 }), ...reachRevealed(), POLL],
  },
  {
    invariantNumber: 8,
    fault: 'a conflict is shown as an error',
    wrapping: () =>
      changeStep((result) =>
        result.order.state.checkout === 'conflicted' ? withCheckoutState(result, 'failed') : result,
      ),
    acts: [script({ ipn: 409 }), ...reachRevealed(), POLL],
  },
  {
    invariantNumber: 9,
    fault: 'what was paid for a refused order is not refunded',
    wrapping: () =>
      changeStep((result) =>
        withoutEffects(
          result,
          (effect) => effect.type === 'do' && effect.payload.kind === 'refund',
        ),
      ),
    acts: [script({ ipn: 410 }), ...reachRevealed('fp1'), PAY, POLL],
  },
  {
    invariantNumber: 10,
    fault: 'a code that was never sent leads on',
    wrapping: () => ({
      host: (host) => ({
        ...host,
        terms: { ...host.terms, rules: { ...host.terms.rules, masterCode: '00000' } },
      }),
    }),
    acts: [submit(), submit({ code: 'wrong' }), POLL],
  },
  {
    invariantNumber: 11,
    fault: 'a code is sent twice',
    wrapping: () =>
      changeStep((result) => ({
        ...result,
        effects: result.effects.flatMap((effect) =>
          effect.type === 'do' && effect.payload.kind === 'sms'
            ? [effect, { ...effect, key: `${effect.key}.again` }]
            : [effect],
        ),
      })),
    acts: [submit(), POLL],
  },
  {
    invariantNumber: 12,
    fault: 'the countdown is rounded to the second after',
    wrapping: () =>
      changeAnswer('wait', (body) =>
        body.action === 'wait_for_screening'
          ? { ...body, expires_in: Number(body.expires_in) + 1 }
          : body,
      ),
    acts: [submit(), submit({ code: 'last' }), POLL],
  },
  {
    invariantNumber: 13,
    fault: 'what a screening said is revealed by a poll',
    wrapping: () => {
      let polls = 0
      return changeAnswer('wait', (body) =>
        body.action === 'resume_after_screening' && ++polls > 1
          ? { action: 'wait_for_confirmation' }
          : body,
      )
    },
    acts: [...reachScreened(), POLL, pass(1_000), POLL],
  },
  {
    invariantNumber: 14,
    fault: 'a timer that has fired fires again',
    wrapping: () =>
      changeStep((result) => {
        const [line] = result.journal
        return line?.event === 'timer.fired' && line.from.checkout === line.to.checkout
          ? withCheckoutState(result, 'failed')
          : result
      }),
    acts: [
      script({ screening: 'silent' }),
      ...reachScreened(),
      pass(61_000),
      ...[0, 1, 2].map((which): Act => ({ type: 'echo', which })),
    ],
  },
  {
    invariantNumber: 15,
    fault: 'a timer is left armed when its state is left',
    wrapping: () =>
      changeStep((result) =>
        withoutEffects(
          result,
          (effect) => effect.type === 'revoke' && effect.lane === 'timer.screeningWindow',
        ),
      ),
    acts: reachScreened(),
  },
  {
    invariantNumber: 16,
    fault: 'a hold need not be confirmed by the merchant',
    wrapping: () =>
      changeStep((result) =>
        result.order.state.checkout === 'holding' ? withCheckoutState(result, 'reviewing') : result,
      ),
    acts: [script({ screening: 'review', ipn: 503 }), ...reachRevealed(), POLL],
  },
  {
    invariantNumber: 17,
    fault: 'the merchant receives another risk than was found',
    wrapping: () =>
      changeStep((result) => ({
        ...result,
        effects: result.effects.map((effect) =>
          effect.type === 'do' &&
          effect.payload.kind === 'event' &&
          effect.payload.event === 'risk_assessment'
            ? {
                ...effect,
                payload: {
                  ...effect.payload,
                  body: effect.payload.body.replace('low_risk', 'high_risk'),
                },
              }
            : effect,
        ),
      })),
    acts: [...reachRevealed('fp1'), PAY, POLL],
  },
  {
    invariantNumber: 18,
    fault: 'a merchant who has said too late is asked again',
    wrapping: () =>
      changeReadOrder((order) =>
        order.state.cancellation === 'tooLate'
          ? { ...order, state: { ...order.state, cancellation: 'none' } }
          : order,
      ),
    acts: [
      script({ cancel: { status: 200, body: '{"result":"toolate","late_by":3}' } }),
      ...reachRevealed(),
      operator('request-cancellation'),
      operator('request-cancellation'),
    ],
  },
  {
    invariantNumber: 19,
    fault: 'a retry says other bytes than the attempt before',
    wrapping: () => ({
      host: (host) => ({
        ...host,
        store: {
          ...host.store,
          claim: (request) =>
            pipe(
              host.store.claim(request),
              TE.map((entries) =>
                entries.map((entry) =>
                  entry.payload.kind === 'ipn' && entry.attempt > 1
                    ? {
                        ...entry,
                        payload: {
                          ...entry.payload,
                          body: `${entry.payload.body}&attempt=${entry.attempt}`,
                        },
                      }
                    : entry,
                ),
              ),
            ),
        },
      }),
    }),
    acts: [script({ ipn: 500 }), ...reachRevealed(), pass(60_000)],
  },
  {
    invariantNumber: 20,
    fault: 'a step draws a number of its own',
    wrapping: () => {
      let drawn = 0
      return changeStep((result) => ({
        ...result,
        order: { ...result.order, context: { ...result.order.context, cancelDelay: ++drawn } },
      }))
    },
    acts: reachRevealed(),
  },
  {
    invariantNumber: 21,
    fault: 'a cancellation refunds all that was paid, although a part went back already',
    wrapping: () =>
      changeStep((result) => ({
        ...result,
        effects: result.effects.map((effect) =>
          effect.type === 'do' &&
          effect.payload.kind === 'refund' &&
          result.order.state.cancellation === 'cancelled'
            ? { ...effect, payload: { ...effect.payload, amount: result.order.placed.total } }
            : effect,
        ),
      })),
    acts: [...reachRevealed('fp1'), PAY, { type: 'merchant', act: 'reduced' }, operator('cancel')],
  },
]

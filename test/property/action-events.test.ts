// What a merchant is pushed is what polling would have told him: along every path, each change of wait's answer is sent
// once, as wait answers for that very snapshot. Interface §6.2, contract §6.
import {
  awaitOutcome,
  concludes,
  DEFAULT_RULES,
  type Effect,
  type Host,
  type Identification,
  isAnswer,
  type Order,
  type OrderEvent,
  PERSON_FIELDS,
  type Person,
  type Placed,
  placing,
  restingStates,
  type Step,
  type Store,
  step,
  submissionEvent,
  type Terms,
  WaitAction,
  type Work,
} from '@plazo/core'
import { given, NOON, SECOND, terms as shopTerms } from '@plazo/core/testing/contracts'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'

type Doing = Extract<Effect, { readonly type: 'do' }>

const MASTER_CODE = '12345'
const terms: Terms = { ...shopTerms, rules: { ...DEFAULT_RULES, masterCode: MASTER_CODE } }

const person = (nin: string): Person => ({
  ...(Object.fromEntries(PERSON_FIELDS.map((field) => [field, field])) as Record<keyof Person, string>),
  nin,
  mobile_phone: '600123456',
})

const PARAMETERS = { shop: '7', event: 'mine', 'ñ &': '√' }

const placedOf = (sendsActionEvents: boolean, products: readonly string[], hasIpn: boolean): Placed => ({
  orderRef: '00000000-0000-4000-8000-000000000001',
  placedAt: NOON,
  merchant: { ref: 'm', account: 'm', country: null, products, optionalFields: [], sendsActionEvents },
  notifyUrl: hasIpn ? 'http://shop.test/ipn' : null,
  notificationParameters: {},
  returnUrl: 'http://shop.test/back?product=SQ_PRODUCT_CODE',
  eventsWebhook: { url: 'http://shop.test/events', parameters: PARAMETERS },
  currency: 'EUR',
  total: 12_100,
  language: 'es-ES',
  productCode: null,
})

/** One move of the world; the numbers choose among what is possible. */
type Move = {
  readonly act: 'answer' | 'submit' | 'pay' | 'decide' | 'wait'
  readonly which: number
  readonly how: number
  readonly isOther: boolean
}

const move: fc.Arbitrary<Move> = fc.record({
  act: fc.oneof(
    { weight: 8, arbitrary: fc.constant('answer' as const) },
    { weight: 6, arbitrary: fc.constant('submit' as const) },
    { weight: 3, arbitrary: fc.constant('pay' as const) },
    { weight: 2, arbitrary: fc.constant('decide' as const) },
    { weight: 1, arbitrary: fc.constant('wait' as const) },
  ),
  which: fc.noBias(fc.nat(1000)),
  how: fc.noBias(fc.nat(1000)),
  isOther: fc.oneof({ weight: 11, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

const pick = <A>(list: readonly A[], index: number): A | undefined => list[index % Math.max(1, list.length)]

/** What the world may answer to an effect, the likely most often. */
const answersTo = ({ key, work }: Doing): readonly OrderEvent[] => {
  const answers = key
  switch (work.kind) {
    case 'screening':
      return (
        ['approved', 'approved', 'review', 'review', 'review', 'alternative', 'identity', 'denied', 'error'] as const
      ).map((outcome) => ({
        type: 'screening.resolved',
        answers,
        outcome,
        alternative:
          outcome === 'alternative' ? { agreements: [{ product: 'i1', instalmentCount: 1 }], forcedIndex: 0 } : null,
      }))
    case 'cards': {
      const card = { token: 'c', brand: 'visa', lastFour: '1111', expiry: '12/40', maskedPan: '4111 **** **** 1111' }
      return [[], [card]].map((cards) => ({ type: 'cards.recalled', answers, cards }))
    }
    case 'session':
      return [
        { type: 'session.opened', answers, url: 'http://id.test' },
        ...(['VERIFIED', 'FAILED', 'ERROR', 'ERROR'] as const).map(
          (status): OrderEvent => ({ type: 'session.reported', answers, status }),
        ),
        { type: 'session.unavailable', answers },
      ]
    case 'payment':
      return [
        { type: 'payment.opened', answers, url: 'http://pay.test' },
        { type: 'payment.opened', answers, url: 'http://pay.test' },
        { type: 'payment.unavailable', answers },
      ]
    case 'refund':
      return [{ type: 'payment.refunded', answers }]
    case 'risk':
      return (['low_risk', 'high_risk', 'under_evaluation'] as const).map((level) => ({
        type: 'risk.assessed',
        answers,
        level,
      }))
    case 'watch':
      return [{ type: 'cancellation.advised', answers, delay: 60 * SECOND }]
    case 'ipn':
      return (['ipn.accepted', 'ipn.accepted', 'ipn.erred', 'ipn.conflicted', 'ipn.exhausted'] as const).map(
        (type) => ({ type, answers }),
      )
    case 'event':
      return work.event === 'cancel'
        ? [
            { type: 'cancel.agreed', answers },
            { type: 'cancel.refused', answers, lateByMinutes: 3 },
            { type: 'cancel.deferred', answers, retryInMinutes: 5 },
            { type: 'cancel.unsupported', answers },
            { type: 'cancel.exhausted', answers },
          ]
        : []
    case 'timer':
      return [{ type: 'timer.fired', answers, timer: work.timer }]
    default:
      return []
  }
}

const DECISIONS: readonly OrderEvent[] = [
  { type: 'merchant.confirmed' },
  { type: 'merchant.held' },
  { type: 'review.approved' },
  { type: 'review.rejected' },
  { type: 'cancellation.requested' },
  { type: 'order.cancelled', by: 'operator' },
  { type: 'order.updated' },
  { type: 'references.given', first: 'A-1', second: null },
]

const submission = (order: Order, { how, isOther }: Move): OrderEvent => {
  const agreements = [null, ...order.placed.merchant.products.map((product) => ({ product, instalmentCount: 3 }))]
  const identification: Identification = {
    person: person(isOther ? 'B1234567' : 'A1234567'),
    agreement: pick(agreements, how) ?? null,
    validationCode: how % 5 === 0 ? undefined : how % 7 === 0 ? '00000' : MASTER_CODE,
  }
  return submissionEvent(order, identification)
}

const payment = (order: Order, { how }: Move): OrderEvent | null => {
  const open = order.context.payments.findLast(({ state }) => state === 'open' || how % 9 === 0)
  if (open === undefined) return null
  const card = { token: 'c', brand: 'visa', lastFour: '1111', expiry: '12/40', maskedPan: '4111 **** **** 1111' }
  const answers = open.key
  return how % 3 === 0
    ? { type: 'payment.failed', answers, reason: 'declined' }
    : how % 3 === 1
      ? { type: 'payment.challenged', answers, token: 't', card, keep: false }
      : { type: 'payment.succeeded', answers, card, keep: true }
}

const eventOf = (order: Order, pending: readonly Doing[], moved: Move): OrderEvent | null => {
  switch (moved.act) {
    case 'answer': {
      const answerable = pending.filter((effect) => answersTo(effect).length > 0)
      // The order's lifetime and the screening's window end seldom, so that most paths come to an end of their own.
      const others = answerable.filter(
        ({ lane }) => lane !== 'timer.checkoutLifetime' && lane !== 'timer.screeningWindow',
      )
      const among = moved.isOther || others.length === 0 ? answerable : others
      const effect = pick(among, moved.which)
      return effect === undefined ? null : (pick(answersTo(effect), moved.how) ?? null)
    }
    case 'submit':
      return submission(order, moved)
    case 'pay':
      return payment(order, moved)
    case 'decide':
      return pick(DECISIONS, moved.how) ?? null
    case 'wait':
      return null
  }
}

const right = <Err, A>(result: E.Either<Err, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left))
  return result.right
}

/** What `GET …/wait` answers for this very snapshot. */
const waitFor = (order: Order, at: number): Promise<WaitAction> => {
  const store = { read: () => TE.right(order) } as unknown as Store
  const host = { store, terms, clock: { now: () => at } } as unknown as Host
  return given(awaitOutcome(host)(order.placed.orderRef))
}

const withoutCountdown = (action: WaitAction): object => {
  const { expires_in: _, ...rest } = action as WaitAction & { readonly expires_in?: number }
  return rest
}

const isActionEvent = (work: Work): work is Extract<Work, { kind: 'event' }> =>
  work.kind === 'event' && work.event === 'identification_action'

const actionEventsOf = ({ effects }: Step): readonly Extract<Work, { kind: 'event' }>[] =>
  effects.flatMap((effect) => (effect.type === 'do' && isActionEvent(effect.work) ? [effect.work] : []))

const stillPending = (pending: readonly Doing[], { effects }: Step, answered: OrderEvent): readonly Doing[] => {
  const answeredKey = isAnswer(answered) && concludes(answered) ? answered.answers : null
  const withdrawn = effects.flatMap((effect) => (effect.type === 'withdraw' ? [effect.lane] : []))
  return [
    ...pending.filter(({ key, lane }) => key !== answeredKey && !withdrawn.includes(lane)),
    ...effects.filter((effect) => effect.type === 'do'),
  ]
}

/** `onStep` sees every step with the order before it. */
const walk = async (
  placed: Placed,
  moves: readonly Move[],
  onStep: (made: Step, before: Order) => Promise<void>,
): Promise<void> => {
  let at = NOON
  let drawn = 0
  const moment = () => ({
    at,
    fresh: { code: '54321', token: `token-${++drawn}` },
    referenceIsTaken: drawn % 40 === 0,
  })
  const first = right(placing(terms)(placed, { first: 'R-1', second: '' }, moment()))
  expect(actionEventsOf(first)).toEqual([])
  let { order } = first
  let pending: readonly Doing[] = stillPending([], first, { type: 'order.updated' })
  for (const each of moves) {
    at += each.act === 'wait' ? 31 * SECOND : each.which % 3
    const event = eventOf(order, pending, each)
    if (event === null) continue
    const made = right(step(terms)(order, event, moment()))
    await onStep(made, order)
    pending = stillPending(pending, made, event)
    order = made.order
  }
}

const moves = fc.array(move, { minLength: 40, maxLength: 70, size: 'max' })
const products = fc.constantFrom(['i1'], ['fp1', 'i1'], ['pp3', 'i1'])

describe('an identification_action event', () => {
  it('is sent for each change of what wait answers, and holds just that, in every state', async () => {
    const reached = new Set<string>()
    const pushed = new Set<string>()
    await fc.assert(
      fc.asyncProperty(products, fc.boolean(), moves, (offered, hasIpn, path) =>
        walk(placedOf(true, offered, hasIpn), path, async (made, before) => {
          const { order } = made
          const { updatedAt, references } = order.context
          const [was, is] = [await waitFor(before, updatedAt), await waitFor(order, updatedAt)]
          const hasChanged = JSON.stringify(withoutCountdown(was)) !== JSON.stringify(withoutCountdown(is))
          expect(actionEventsOf(made).map(({ body }) => JSON.parse(body))).toEqual(
            hasChanged
              ? [
                  {
                    event: 'identification_action',
                    ...is,
                    order_ref: order.placed.orderRef,
                    order_ref_1: references.first,
                    order_ref_2: references.second,
                    m_shop: '7',
                    m_event: 'mine',
                    'm_ñ &': '√',
                  },
                ]
              : [],
          )
          expect(WaitAction.is(is)).toBe(true)
          reached.add(order.state.checkout)
          if (hasChanged) pushed.add(is.action)
        }),
      ),
      { numRuns: 2500 },
    )
    expect([...reached].sort()).toEqual([...restingStates('checkout')].sort())
    // The form is where an order begins, and no path leads back to it.
    expect([...pushed].sort()).toEqual([
      'alt_payment',
      'finish',
      'reject',
      'require_payment',
      'require_validate_otp',
      'resume_after_screening',
      'show_conflict',
      'show_error',
      'show_on_hold',
      'wait_for_confirmation',
      'wait_for_id_verification',
      'wait_for_on_hold',
      'wait_for_screening',
    ])
  })

  it('is never sent for a merchant who has not asked for them', async () => {
    await fc.assert(
      fc.asyncProperty(products, fc.boolean(), moves, (offered, hasIpn, path) =>
        walk(placedOf(false, offered, hasIpn), path, async (made) => {
          expect(actionEventsOf(made)).toEqual([])
          expect(made.journal.filter(({ detail }) => detail === 'identification_action')).toEqual([])
        }),
      ),
      { numRuns: 200 },
    )
  })
})

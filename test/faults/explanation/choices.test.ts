// Every decision that an explanation lists is made on a copy of the world, and ends as said. Every
// decision that anybody can make, and that is not listed, is refused or changes nothing. Then the
// causes: the journal is replayed with only some of its lines.
import {
  confirmOrder,
  isOver,
  type JournalLine,
  type Order,
  type OrderEvent,
  step,
  updateOrder,
} from '@plazo/core'
import { REGIONS, restingStates } from '@plazo/core/machine'
import { entriesOf, type OrderHarness, PERSON } from '@plazo/core/testing'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { explainWith } from '../../../packages/core/src/explanation/explanation.ts'
import {
  paidTotal,
  presentTotal,
  refundedTotal,
} from '../../../packages/core/src/order/reduction.ts'
import { factsOf, type Story, storyOf, worldOf } from './world.ts'

const WORLDS = Number(process.env.WORLDS ?? 60)
const SEED = Number(process.env.SEED ?? 1)

type Decision = (harness: OrderHarness, order: Order) => Promise<unknown>

const MERCHANT = 'demo'
const CARD = { token: 'c', brand: 'visa', lastFour: '1', expiry: '12/40', maskedPan: '1' }

const submit =
  (fields: (order: Order) => Readonly<Record<string, unknown>>): Decision =>
  (harness, order) =>
    harness.submit({
      ...(order.context.person ?? PERSON),
      service_privacy_policy_accepted: true,
      ...fields(order),
    })

const update =
  (share: (total: number) => readonly [shipped: number, unshipped: number]): Decision =>
  ({ host }, { placed, context }) => {
    const cart = (total: number) => ({
      order_total_with_tax: total,
      items: [{ total_with_tax: total }],
    })
    const [shipped, unshipped] = share(presentTotal({ placed, ...context }))
    const order = { shipped_cart: cart(shipped), unshipped_cart: cart(unshipped) }
    return updateOrder(host)(MERCHANT, context.references.first, { order })()
  }

const reply =
  (lane: string, event: Readonly<Record<string, unknown>>): Decision =>
  (harness, { context }) =>
    harness.send({ ...event, inReplyTo: context.pending[lane] ?? `0:0:${lane}` } as OrderEvent)

const screened = (outcome: string) =>
  reply('screening', { type: 'screening.resolved', outcome, alternative: null })

/** All that anybody can do to an order, from outside. */
const DECISIONS: readonly Decision[] = [
  submit(() => ({})),
  submit(({ context }) => ({ validation_code: context.otp.code ?? '00000' })),
  submit(({ context }) => ({ validation_code: context.otp.code === '00000' ? '00001' : '00000' })),
  submit(({ context }) => ({
    nin: context.person?.nin === '00000001R' ? '00000002W' : '00000001R',
  })),
  submit(({ context }) => {
    const [first] = context.alternative?.agreements ?? []
    return first === undefined
      ? {}
      : { credit_agreement: { product: first.product, instalment_count: first.instalmentCount } }
  }),
  ...(['confirmed', 'on_hold', 'cancelled'] as const).map(
    (act): Decision =>
      (harness) =>
        harness.merchantSays(act),
  ),
  ({ host }, order) =>
    confirmOrder(host)({ account: MERCHANT }, order.placed.orderRef, {
      order: { merchant_reference: { order_ref_2: `${order.context.references.second}x` } },
    })(),
  update((total) => [total, 0]),
  update((total) => [0, total]),
  update(() => [0, 0]),
  ...(['approve', 'reject', 'request-cancellation', 'cancel'] as const).map(
    (act): Decision =>
      (harness) =>
        harness.operatorDoes(act),
  ),
  ...['approved', 'review', 'alternative', 'identity', 'denied', 'error'].map(screened),
  reply('cards', { type: 'cards.recalled', cards: [CARD] }),
  reply('session', { type: 'session.opened', url: 'http://id.test/other' }),
  ...['VERIFIED', 'FAILED', 'ERROR'].map((status) =>
    reply('session', { type: 'session.reported', status }),
  ),
  reply('payment', { type: 'payment.opened', url: 'http://pay.test/other' }),
  (harness) => harness.pay({ type: 'payment.challenged', token: 'x', card: CARD, keep: false }),
  (harness) => harness.pay({ type: 'payment.failed', reason: 'declined' }),
  ...[0, 1, 2, 3, 4, 5].map(
    (which): Decision =>
      (harness) =>
        harness.pay({ type: 'payment.succeeded', card: null, keep: false }, which),
  ),
  reply('ipn', { type: 'ipn.accepted' }),
  reply('ipn', { type: 'ipn.conflicted' }),
  ...['low_risk', 'high_risk', 'under_evaluation'].map((level) =>
    reply('risk', { type: 'risk.assessed', level }),
  ),
  ...[0, 60_000].map((delay) => reply('watch', { type: 'cancellation.advised', delay })),
  reply('cancel', { type: 'cancel.agreed' }),
  reply('cancel', { type: 'cancel.refused', lateByMinutes: null }),
  reply('cancel', { type: 'cancel.deferred', retryInMinutes: 1 }),
  reply('cancel', { type: 'cancel.unsupported' }),
]

const withoutBookkeeping = ({ state, context }: Order): string => {
  const { updatedAt: _updatedAt, pending: _pending, ...data } = context
  return JSON.stringify([state, data])
}

/** What a decision did, in words that an explanation can be compared with. Null: nothing. */
const outcomeOf = (before: Order, after: Order, harness: OrderHarness): string | null => {
  const { step } = entriesOf(harness.trace(), 'step').at(-1) ?? {}
  const event = step?.journal[0]?.input?.event
  const isChanged = withoutBookkeeping(before) !== withoutBookkeeping(after)
  if (event === undefined || after.revision === before.revision) return null
  if (!isChanged && step?.effects.length === 0) return null
  return outcomeText(event.type, {
    state: after.state,
    effects: step?.effects ?? [],
    refunded: refundedTotal(after.context) - refundedTotal(before.context),
    charged: paidTotal(after.context) - paidTotal(before.context),
  })
}

const outcomeText = (
  decision: string,
  {
    state,
    effects,
    refunded,
    charged,
  }: Pick<Explained, 'state' | 'effects' | 'refunded' | 'charged'>,
): string => {
  const lanes = effects.map(({ type, lane }) => `${type} ${lane}`).join(', ')
  return `${decision}: ${Object.values(state).join(' ')}, ${lanes}, ${refunded} back, ${charged} paid`
}

type Explained = ReturnType<ReturnType<typeof explainWith>>['may'][number]['outcome']

const explainStory = async (story: Story) => {
  const world = await worldOf(story)
  const order = await world.harness.order()
  const facts = await factsOf(world, order, world.harness.host.clock.now())
  return { world, order, facts, explanation: explainWith(world.harness.host.terms)(facts) }
}

/** What was said of the choices of one story, and what they did. */
const choicesIn = async (story: Story) => {
  const { order, explanation } = await explainStory(story)
  const predicted = explanation.may.map(({ decision, outcome }) => outcomeText(decision, outcome))
  const happened: string[] = []
  let world = await worldOf(story)
  for (const decide of DECISIONS) {
    await decide(world.harness, order)
    const after = await world.harness.order()
    const outcome = outcomeOf(order, after, world.harness)
    if (outcome !== null) happened.push(outcome)
    if (after.revision !== order.revision) world = await worldOf(story)
  }
  return { predicted: [...new Set(predicted)].sort(), happened: [...new Set(happened)].sort() }
}

describe('what anybody may do', () => {
  it('ends as said, and nothing else changes anything', { timeout: 300_000 }, async () => {
    const decisions = new Set<string | undefined>()
    for (let seed = SEED; seed < SEED + WORLDS; seed++) {
      const { predicted, happened } = await choicesIn(storyOf(seed))
      expect(happened, `seed ${seed}`).toEqual(predicted)
      for (const each of predicted) decisions.add(each.split(':')[0])
    }
    // Without most of them, the test would have tried little.
    expect(decisions.size).toBeGreaterThan(20)
  })
})

/** The order after only these lines, with their numbers in the whole journal. Null: it refuses one. */
const replay = (
  { host }: OrderHarness,
  placed: Order,
  journal: readonly JournalLine[],
  numbers: readonly number[],
): Order | null => {
  let order = placed
  for (const { seq, input } of journal.filter((line) => numbers.includes(line.seq))) {
    if (input === null) return null
    const next = step(host.terms)({ ...order, revision: seq - 1 }, input.event, input.stepInput)
    if (E.isLeft(next)) return null
    order = next.right.order
  }
  return order
}

describe('whom an order awaits', () => {
  it('is nobody only if the order is over', async () => {
    for (let seed = SEED; seed < SEED + WORLDS; seed++) {
      const { order, explanation } = await explainStory(storyOf(seed))
      expect(explanation.awaits.length > 0 || isOver(order.state), `seed ${seed}`).toBe(true)
    }
  })
})

describe('the lines because of which an order is in a state', () => {
  it('lead there, and without any one of them the order is elsewhere', {
    timeout: 300_000,
  }, async () => {
    for (let seed = SEED; seed < SEED + WORLDS; seed++) {
      const { world, order, facts, explanation } = await explainStory(storyOf(seed))
      const [first] = entriesOf(world.harness.trace(), 'step')
      const placed = first?.step.order as Order
      for (const region of REGIONS) {
        const { state, because } = explanation.where[region]
        const stateAfter = (numbers: readonly number[]) =>
          replay(world.harness, placed, facts.journal, numbers)?.state[region]
        expect(state).toBe(order.state[region])
        expect(stateAfter(because), `seed ${seed}`).toBe(state)
        for (const number of because)
          expect(stateAfter(because.filter((each) => each !== number)), `seed ${seed}`).not.toBe(
            state,
          )
        expect(because.length === 0, `seed ${seed}`).toBe(state === restingStates(region)[0])
      }
    }
  })
})

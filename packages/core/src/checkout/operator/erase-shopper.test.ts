import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { restingStates } from '../../order/model.ts'
import type { Order, OrderState } from '../../order/order.ts'
import { NEW_CONTEXT, type OrderContext } from '../../order/order-context.ts'
import type { ShopperErasure } from '../../ports/store.ts'
import { ANA, PLACED, PP3, VISA } from '../../testing/harness/order-fixture.ts'
import { eraseShopper, eraseShopperData, previewErasure } from './erase-shopper.ts'

const anOrder = (state: Partial<OrderState>, context: Partial<OrderContext> = {}): Order => ({
  placed: PLACED,
  revision: 7,
  state: { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none', ...state },
  context: { ...NEW_CONTEXT, ...context },
})

/** Why the order still needs its shopper, in one sentence for each reason. */
const blockersOf = async (order: Order): Promise<readonly string[]> => {
  const erase: ShopperErasure['erase'] = (_, decide) =>
    TE.fromEither(E.map(() => 'erased' as const)(decide(order)))
  const erased = await eraseShopperData({ erasure: { erase }, clock: { now: () => 60 } })('order')()
  return E.isLeft(erased) && erased.left._tag === 'Refused' ? erased.left.sentences : []
}

const fixture: Partial<OrderContext> = {
  updatedAt: 50,
  person: ANA,
  otp: { issues: 1, issuedAt: 3, code: '24680', expiresAt: 9, wrong: 1 },
  session: { token: 'session-token', errors: 0, providerUrl: 'https://identity.example/ana' },
  cards: [VISA],
  payments: [
    {
      key: 'order:5:payment',
      token: 'pay-token',
      amount: 3300,
      state: 'succeeded',
      providerUrl: 'https://payment.example/ana',
      challenge: { token: 'proof', card: VISA, keep: true },
      voidedBy: null,
      refundedBy: null,
      refunds: [],
    },
  ],
  agreement: PP3,
  lateByMinutes: 5,
}

describe('the shopper’s data', () => {
  it('is required while the merchant is asked to cancel, and not once they will not answer', async () => {
    const free: string[] = []
    for (const cancellation of restingStates('cancellation'))
      if ((await blockersOf(anOrder({ cancellation }))).length === 0) free.push(cancellation)
    expect(free).toEqual(['none', 'tooLate', 'unsupported', 'unanswered', 'cancelled'])
  })

  it.each([
    [{ checkout: 'paying' }, /checkout .* paying\.$/],
    [{ risk: 'underEvaluation' }, /risk .* under_evaluation\.$/],
    [{ cancellation: 'waiting' }, /cancellation .* waiting\.$/],
  ] as const)('is required for a reason that names the state: %j', async (state, reason) => {
    expect(await blockersOf(anOrder(state))).toEqual([expect.stringMatching(reason)])
  })

  it('is removed completely from the order, which otherwise keeps its state', () => {
    const { order, effects, reference } = eraseShopper(anOrder({}, fixture), 60)
    expect(JSON.stringify(order)).not.toMatch(
      /Ana|ana|Prueba|12345678-z|600 123 456|Mayor|24680|1111|token"?:"[^"]/,
    )
    expect(order).toMatchObject({
      revision: 8,
      state: anOrder({}).state,
      context: { updatedAt: 60, lateByMinutes: 5 },
    })
    expect(order.context.agreement).toEqual(fixture.agreement)
    expect(order.context.payments).toMatchObject([
      { key: 'order:5:payment', amount: 3300, state: 'succeeded' },
    ])
    expect([effects, reference]).toEqual([[], null])
  })

  it('leaves a journal line about the erasure, dated no earlier than the last one', () => {
    const { journal, order } = eraseShopper(anOrder({}, fixture), 40)
    const { state } = order
    expect(journal).toEqual([
      {
        seq: 8,
        at: 50,
        event: 'shopper.forgotten',
        detail: 'by the operator',
        from: state,
        to: state,
        input: null,
      },
    ])
    const [named] = eraseShopper(anOrder({}, fixture), 40, 'ana').journal
    expect(named?.detail).toBe('by the operator ana')
  })
})

it('is previewed with each unfinished job, and a delivery that is sent again by hand as a resend', async () => {
  const jobs = [
    { lane: 'timer.checkoutLifetime', state: 'pending', dueAt: 0, isResend: false },
    { lane: 'action', state: 'queued', dueAt: 0, isResend: true },
  ]
  const preview = await previewErasure({
    store: {
      read: () => TE.right(anOrder({})),
      inspection: {
        payload: () => TE.right('{}'),
        requests: () => TE.right(new Map()),
        pendingJobs: () => TE.right(jobs),
      },
    },
  } as never)('order')()
  expect(preview).toMatchObject({
    right: {
      unfinished: [
        'Its job timer.checkoutLifetime is pending, due at 1970-01-01T00:00:00.000Z.',
        'Its resend of action waits for an earlier one.',
      ],
    },
  })
})

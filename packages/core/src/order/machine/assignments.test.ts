// What an order stores from an answer or an event, and no other part of the core reads. Pages, lists and
// later questions show it.
import { expect, it } from 'vitest'
import {
  confirmWithMerchant,
  FP1,
  type OrderFixture,
  orderFixture,
  type ReplyContent,
  revealOutcome,
  VISA,
} from '../../testing/harness/order-fixture.ts'
import type { OrderContext } from '../order-context.ts'

const pay = (): OrderFixture => revealOutcome(orderFixture(), 'approved', FP1)

const askToCancel = (): OrderFixture => {
  const fixture = confirmWithMerchant(orderFixture())
  fixture.send({ type: 'cancellation.requested' })
  return fixture
}

const URL_OF_PAGE = 'https://provider.test/page'
const CHALLENGE = { token: 'c', card: VISA, keep: true }

it.each<
  readonly [lane: string, ReplyContent, () => OrderFixture, (c: OrderContext) => unknown, unknown]
>([
  [
    'session',
    { type: 'session.opened', url: URL_OF_PAGE },
    () => revealOutcome(orderFixture(), 'identity'),
    (c) => c.session?.providerUrl,
    URL_OF_PAGE,
  ],
  [
    'payment',
    { type: 'payment.opened', url: URL_OF_PAGE },
    pay,
    (c) => c.payments[0]?.providerUrl,
    URL_OF_PAGE,
  ],
  [
    'payment',
    { type: 'payment.challenged', ...CHALLENGE },
    pay,
    (c) => c.payments[0]?.challenge,
    CHALLENGE,
  ],
  [
    'timer.checkoutLifetime',
    { type: 'timer.fired', timer: 'checkoutLifetime.open' },
    pay,
    (c) => c.payments[0]?.state,
    'void',
  ],
  [
    'cancel',
    { type: 'cancel.deferred', retryInMinutes: 5 },
    askToCancel,
    (c) => c.cancelDelay,
    300_000,
  ],
  ['cancel', { type: 'cancel.refused', lateByMinutes: 3 }, askToCancel, (c) => c.lateByMinutes, 3],
])(
  'of a reply in the lane %s, an order keeps what it says: %j',
  (lane, reply, reach, read, kept) => {
    const fixture = reach()
    fixture.reply(lane, reply)
    expect(read(fixture.order().context)).toEqual(kept)
  },
)

it('a confirmed hold is no confirmation, and a confirmed order keeps its instant', () => {
  const fixture = revealOutcome(orderFixture(), 'review')
  fixture.send({ type: 'merchant.held' })
  expect(fixture.order().context.merchantConfirmed).toBe(true)
  fixture.reply('ipn', { type: 'ipn.accepted' })
  fixture.send({ type: 'review.approved' })
  expect(fixture.order().context).toMatchObject({ merchantConfirmed: false, confirmedAt: null })
  fixture.reply('ipn', { type: 'ipn.accepted' })
  const { confirmedAt, updatedAt } = fixture.order().context
  expect(confirmedAt).toBe(updatedAt)
})

it('a merchant may give one reference, and the other stays', () => {
  const fixture = orderFixture({}, { first: 'R1', second: 'R2' })
  fixture.send({ type: 'references.given', first: 'R9', second: null })
  expect(fixture.order().context.references).toEqual({ first: 'R9', second: 'R2' })
  fixture.send({ type: 'references.given', first: null, second: '' })
  expect(fixture.order().context.references).toEqual({ first: 'R9', second: '' })
})

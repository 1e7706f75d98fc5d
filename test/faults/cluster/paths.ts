// The paths that the shoppers of a cluster run take: every kind of effect, and every end. The simulation
// has more kinds of people.
import type { SessionStatus } from '@plazo/core/protocol'
import { CARD, CHALLENGED_CARD, DECLINED_CARD } from '../../harness/shop.ts'
import type { OrderPlan } from '../../harness/shopper.ts'

type Card = Readonly<Record<string, string>>

export type Path = Pick<
  OrderPlan,
  'surnames' | 'product' | 'ipn' | 'events' | 'review' | 'afterwards'
> & {
  readonly name: string
  /** `sent`: the shopper reads the code from the SMS, which proves that it arrived. */
  readonly code: 'sent' | 'master'
  /** One for each requested payment; the last one is used for all further ones. */
  readonly cards: readonly [Card, ...Card[]]
  /** One for each ID session opened. */
  readonly sessions: readonly SessionStatus[]
  /** The shopper leaves at this action, and deadlines decide. */
  readonly leavesAt: string | null
}

export const path = (name: string, overrides: Partial<Path> = {}): Path => ({
  name,
  surnames: 'Prueba Ensayo',
  product: 'i1',
  ipn: 'accepts',
  events: 'accepts',
  code: 'sent',
  cards: [CARD],
  sessions: [],
  review: 'approve',
  afterwards: null,
  leavesAt: null,
  ...overrides,
})

const savingCard = (card: Card): Card => ({ ...card, save: 'on' })

export const PATHS: readonly Path[] = [
  path('plain'),
  path('plain, by any code', { code: 'master' }),
  path('the IPN errs first', { ipn: 'errs first', events: 'errs first' }),
  path('the merchant takes no IPN', { ipn: 'absent' }),
  path('conflict, refunded', { ipn: 'conflicts', product: 'sp1' }),
  path('never confirmed, refunded', {
    ipn: 'down',
    product: 'pp3',
    events: 'absent',
    leavesAt: 'wait_for_confirmation',
  }),
  path('review approved', { surnames: 'review event', product: 'pp3' }),
  path('review rejected, refunded', { surnames: 'review event', product: 'sp1', review: 'reject' }),
  path('denial that nobody hears', { surnames: 'denial event', events: 'down' }),
  path('verification', { surnames: 'verification event', product: 'sp1' }),
  path('identity, at the second go', {
    surnames: 'identity event',
    sessions: ['ERROR', 'VERIFIED'],
  }),
  path('screening expires', { surnames: 'expiry event' }),
  path('low risk, card kept', {
    surnames: 'lowrisk event',
    product: 'fp1',
    cards: [savingCard(CARD)],
  }),
  path('high risk, 3-D Secure', {
    surnames: 'highrisk event',
    product: 'fp1',
    cards: [savingCard(CHALLENGED_CARD)],
  }),
  path('evaluation', { surnames: 'evaluation event', product: 'fp1', events: 'errs first' }),
  path('declined, then paid', { product: 'pp3', cards: [DECLINED_CARD, CARD] }),
  path('asked to cancel', { surnames: 'cancellation event', product: 'fp1' }),
  path('cancelled by an operator, refunded', { product: 'fp1', afterwards: 'cancel' }),
  path('cancelled by the merchant, refunded', { product: 'pp3', afterwards: 'update' }),
  path('left at the card form', { product: 'fp1', leavesAt: 'require_payment' }),
]

// Draws the plan of one order from only the seed and its number: the purchase, and how everybody behaves. Leaving an order out
// changes nothing for the others.
import { MERCHANTS } from '../harness/merchants.ts'
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts'

export const ACCOUNT = { username: 'simulated', password: 'simulated' }

type IpnMood =
  | 'accepts'
  /** Gives different answers of any kind, and accepts in the end. */
  | 'moody'
  | 'conflicts'
  | 'down'
  /** Confirms by `PUT` while the IPN is in flight, and then gives any answer. */
  | 'puts'
  /** Has no IPN URL, and confirms by `PUT`. */
  | 'absent'

type EventsMood = 'accepts' | 'moody' | 'down' | 'absent'

export type Plan = {
  readonly number: number
  readonly placedAfter: number
  readonly merchant: (typeof MERCHANTS)[number]
  readonly reference: string
  readonly surnames: string
  readonly product: 'i1' | 'pp3' | 'sp1' | 'fp1'
  readonly instalments: number
  readonly total: number
  readonly birthDay: string
  readonly ipn: IpnMood
  readonly events: EventsMood
  /** How often the shopper does something unexpected, from 0 to 1. */
  readonly erratic: number
  /** The shopper takes this many steps, then leaves for good. */
  readonly patience: number
  readonly review: 'approve' | 'reject'
  readonly afterwards: 'request-cancellation' | 'cancel' | 'update' | 'ship' | null
  /** Milliseconds before the operator decides. */
  readonly operatorTakes: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const SURNAMES: readonly [string, ...string[]] = [
  'Prueba Ensayo',
  'Prueba Ensayo',
  'Prueba Ensayo',
  'review event',
  'review event',
  'denial event',
  'alternative event',
  'verification event',
  'unverified event',
  'identity event',
  'expiry event',
  'failure event',
  'lowrisk event',
  'highrisk event',
  'evaluation event',
  'cancellation event',
  'cancellation event',
]

type Agreed = readonly [Plan['product'], number]

const PLANS: readonly [Agreed, ...Agreed[]] = [
  ['i1', 1],
  ['pp3', 3],
  ['pp3', 6],
  ['pp3', 12],
  ['pp3', 24],
  ['sp1', 3],
  ['fp1', 1],
  ['fp1', 1],
]

const IPN: readonly [IpnMood, ...IpnMood[]] = [
  'accepts',
  'accepts',
  'accepts',
  'accepts',
  'moody',
  'moody',
  'moody',
  'conflicts',
  'down',
  'puts',
  'puts',
  'absent',
]
const EVENTS: readonly [EventsMood, ...EventsMood[]] = [
  'accepts',
  'accepts',
  'accepts',
  'moody',
  'moody',
  'moody',
  'down',
  'absent',
]
const AFTERWARDS: readonly [Plan['afterwards'], ...Plan['afterwards'][]] = [
  null,
  null,
  null,
  'request-cancellation',
  'request-cancellation',
  'cancel',
  'update',
  'ship',
]

/** The random stream for events that concern one order. */
export const streamOf = (seed: number, number: number, use: string): SeededRandom =>
  seededRandom(seed, `order ${number} ${use}`)

/** `within`: all orders are placed in this many milliseconds. */
export const planOf = (seed: number, number: number, within: number): Plan => {
  const draw = streamOf(seed, number, 'plan')
  const [product, instalments] = draw.pick(PLANS)
  const isErratic = draw.below(3) === 0
  return {
    number,
    placedAfter: draw.below(within),
    merchant: draw.pick(MERCHANTS),
    // Sometimes the reference is shared with other orders.
    reference: draw.below(12) === 0 ? `shared-${draw.below(6)}` : `N-${number}`,
    surnames: draw.pick(SURNAMES),
    product,
    instalments,
    total: 100 + draw.below(900_000),
    birthDay: String(1 + draw.below(28)).padStart(2, '0'),
    ipn: draw.pick(IPN),
    events: draw.pick(EVENTS),
    erratic: isErratic ? 0.4 : 0.05,
    patience: draw.below(6) === 0 ? draw.below(12) : 60,
    review: draw.below(3) === 0 ? 'reject' : 'approve',
    afterwards: draw.pick(AFTERWARDS),
    operatorTakes: draw.below(4) === 0 ? draw.below(3 * DAY) : draw.below(20 * MINUTE),
  }
}

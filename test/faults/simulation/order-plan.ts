// Draws the plan of one order from only the seed and its number: the purchase, and how everybody
// behaves. Leaving an order out changes nothing for the others. Most shoppers do what they are
// asked; some err.
import { type EventsManner, type IpnManner, MERCHANTS } from '../../harness/merchants.ts'
import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts'
import { CARD, CHALLENGED_CARD, DECLINED_CARD } from '../../harness/shop.ts'
import type { Habits, OrderPlan } from '../../harness/shopper.ts'
import type { Scheduler } from './scheduler.ts'

export type Plan = OrderPlan & {
  readonly placedAfter: number
  /** How often the shopper does something unexpected, from 0 to 1. */
  readonly erratic: number
  /** The shopper takes this many steps, then leaves for good. */
  readonly patience: number
  /** Milliseconds before the operator decides. */
  readonly operatorTakes: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Repeats every value as often as the number after it says. */
const repeatByWeight = <T>(...weights: readonly (readonly [T, number])[]): readonly [T, ...T[]] =>
  weights.flatMap(([value, weight]) => Array.from({ length: weight }, () => value)) as [T, ...T[]]

const SURNAMES = repeatByWeight<string>(
  ['Prueba Ensayo', 3],
  ['review event', 2],
  ['denial event', 1],
  ['alternative event', 1],
  ['verification event', 1],
  ['unverified event', 1],
  ['identity event', 1],
  ['expiry event', 1],
  ['failure event', 1],
  ['lowrisk event', 1],
  ['highrisk event', 1],
  ['evaluation event', 1],
  ['cancellation event', 2],
)
const PLANS = repeatByWeight<readonly [Plan['product'], number]>(
  [['i1', 1], 1],
  [['pp3', 3], 1],
  [['pp3', 6], 1],
  [['pp3', 12], 1],
  [['pp3', 24], 1],
  [['sp1', 3], 1],
  [['fp1', 1], 2],
)
const IPN = repeatByWeight<IpnManner>(
  ['accepts', 4],
  ['moody', 3],
  ['conflicts', 1],
  ['down', 1],
  ['puts anything', 2],
  ['absent', 1],
)
const EVENTS = repeatByWeight<EventsManner>(['wavers', 3], ['moody', 3], ['down', 1], ['absent', 1])
const AFTERWARDS = repeatByWeight<Plan['afterwards']>(
  [null, 3],
  ['request-cancellation', 2],
  ['cancel', 1],
  ['update', 1],
  ['reduce', 1],
)

/** `within`: all orders are placed in this many milliseconds. */
export const planOf = (seed: number, number: number, within: number): Plan => {
  const draw = seededRandom(seed, `order ${number} plan`)
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

/** Fields that make a form wrong. */
const WRONG_FIELDS: readonly [object, ...object[]] = [
  { nin: '' },
  { surnames: 'One' },
  { dob_day: '32' },
  { dob_year: 1980 },
  { mobile_phone: 'none' },
  { service_privacy_policy_accepted: false },
  { credit_agreement: { product: 'none', instalment_count: 0 } },
]

const PLACES_AT_MOST = 20

type HabitsParts = Pick<Habits, 'leavesAt' | 'onPlaced'> & {
  readonly plan: Plan
  readonly draw: SeededRandom
  readonly scheduler: Scheduler
  /** Called with everything unexpected that the shopper does. */
  readonly onWhim: (whim: string) => void
}

/** The next action of the shopper of this plan, drawn at each step. */
export const drawnHabits = ({ plan, draw, scheduler, onWhim, ...hooks }: HabitsParts): Habits => {
  let steps = 0
  const errs: Habits['errs'] = (whim) => {
    const does = draw.next() < plan.erratic
    if (does && whim !== null) onWhim(whim)
    return does
  }
  return {
    ...hooks,
    errs,
    wrongFields: () => ({ ...draw.pick(WRONG_FIELDS) }),
    otherPerson: () => 2 * plan.number + 1 + 1_000_000 * draw.below(3),
    usesMasterCode: () => draw.below(8) === 0,
    usesSavedCard: () => draw.below(2) === 0,
    card: () => {
      const saves = draw.below(3) === 0 ? { save: 'on' } : {}
      return { ...draw.pick([CARD, CARD, CARD, CHALLENGED_CARD, DECLINED_CARD]), ...saves }
    },
    challenge: () => (errs(null) ? null : draw.below(4) === 0 ? 'failure' : 'success'),
    session: () =>
      plan.surnames === 'identity event'
        ? draw.pick(['VERIFIED', 'VERIFIED', 'FAILED', 'ERROR'])
        : null,
    confirms: () => plan.ipn === 'absent' || (plan.ipn === 'puts anything' && draw.below(6) === 0),
    placesAgain: async (tries) => {
      await scheduler.sleep(SECOND * (1 + tries * 20))
      return tries + 1 < PLACES_AT_MOST
    },
    waitForNewCode: () => scheduler.sleep(30 * SECOND),
    pause: () =>
      scheduler.sleep(
        200 + 6 * SECOND * draw.next() + (errs(null) ? 60 * SECOND * draw.next() : 0),
      ),
    goesOn: () => steps++ < plan.patience,
  }
}

// Fills a store with any number of orders, as ten shops would leave them, so that lists can be
// tested and measured. Each is placed in its final state by the store's own write, because a million
// checkouts would take hours. SQL then adds what failed deliveries leave behind.
import { createHash } from 'node:crypto'
import type { Order, Step } from '@plazo/core'
import { unwrap } from '@plazo/core/internal/testing'
import type { FullStore } from '@plazo/core/ports'
import {
  confirmWithMerchant,
  FP1,
  firstStep,
  type OrderFixture,
  orderFixture,
  PLACED_AT,
  reachReview,
  revealOutcome,
  submitPerson,
} from '../../packages/core/src/testing/harness/order-fixture.ts'

/** The merchants. The first four answer 500 to every IPN. */
export const SHOPS: readonly string[] = Array.from({ length: 10 }, (_, n) => `shop-${n}`)
const FAILING_SHOPS = SHOPS.slice(0, 4)

const DAY = 86_400_000
/** The orders are placed evenly over this time. */
const PLACED_WITHIN = 90 * DAY
const HOUR = 3_600_000
const TOGETHER = 500
const ATTEMPTS = 3
const FAILING_FOR = 14 * DAY

type Template = { readonly share: number; readonly step: Step; readonly isFailing?: true }

const expire = (fixture: OrderFixture) =>
  fixture.reply('timer.checkoutLifetime', { type: 'timer.fired', timer: 'checkoutLifetime.open' })

const TEMPLATE_REF = '00000000-0000-4000-8000-000000000000'

/** The order that the acts lead to, with all its lines and the IPN that it may wait for. */
const template = (
  share: number,
  act: (fixture: OrderFixture) => unknown,
  options: Pick<Template, 'isFailing'> = {},
): Template => {
  const fixture = orderFixture({ orderRef: TEMPLATE_REF })
  const steps = [firstStep({ orderRef: TEMPLATE_REF })]
  const record = (step: Step): Step => {
    steps.push(step)
    return step
  }
  act({
    ...fixture,
    send: (...given) => record(fixture.send(...given)),
    reply: (...given) => record(fixture.reply(...given)),
  })
  const ipn = steps
    .flatMap(({ effects }) => effects)
    .filter((effect) => effect.type === 'do' && effect.lane === 'ipn')
  return {
    share,
    ...options,
    step: {
      order: fixture.order(),
      journal: steps.flatMap(({ journal }) => journal),
      effects: options.isFailing === true ? ipn.slice(-1) : [],
      reference: null,
    },
  }
}

const assess = (fixture: OrderFixture, level: 'low_risk' | 'high_risk') => {
  confirmWithMerchant(fixture, FP1).reply('risk', { type: 'risk.assessed', level })
  return fixture
}

const askToCancel = (fixture: OrderFixture) => {
  confirmWithMerchant(fixture).send({ type: 'cancellation.requested' })
  return fixture
}

const TEMPLATES: readonly Template[] = [
  template(0.008, (order) => revealOutcome(order), { isFailing: true }),
  template(0.002, (order) => expire(revealOutcome(order)), { isFailing: true }),
  template(0.01, reachReview),
  template(0.005, askToCancel),
  template(0.01, (order) => assess(order, 'high_risk')),
  template(0.13, (order) => expire(submitPerson(order))),
  template(0.3, (order) => assess(order, 'low_risk')),
  template(1, (order) => confirmWithMerchant(order)),
]

// A sequence that comes near each share early, with the same result each time.
const GOLDEN_RATIO = 0.618_033_988_749_895

const templateOf = (n: number): Template => {
  let left = (n * GOLDEN_RATIO) % 1
  for (const each of TEMPLATES) {
    left -= each.share
    if (left < 0) return each
  }
  throw new Error('The shares of the templates are less than 1.')
}

const uuidOf = (n: number): string => {
  const digest = createHash('md5').update(String(n)).digest('hex')
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20)}`
}

const texts = new Map(TEMPLATES.map((each) => [each, JSON.stringify(each.step)]))

/** The nth of `count` orders. */
export const manyOrder = (n: number, count: number, now: number): Step => {
  const chosen = templateOf(n)
  const orderRef = uuidOf(n)
  const { order, ...step } = JSON.parse(
    (texts.get(chosen) ?? '').replaceAll(TEMPLATE_REF, orderRef),
  ) as Step
  const shops = chosen.isFailing === true ? FAILING_SHOPS : SHOPS
  const ref = shops[n % shops.length] ?? ''
  const placedAt = now - Math.round(((count - n) / count) * PLACED_WITHIN) - HOUR
  const { context, placed } = order
  return {
    ...step,
    order: {
      ...order,
      placed: {
        ...placed,
        placedAt,
        total: 1_000 + ((n * 37) % 50_000),
        merchant: { ...placed.merchant, ref, account: ref },
      },
      context: {
        ...context,
        updatedAt: context.updatedAt - PLACED_AT + placedAt,
        references: { first: `R-${String(n).padStart(7, '0')}`, second: `${ref}/${n}` },
      },
    } satisfies Order,
  }
}

/**
 * SQL that gives each failing IPN its attempts, and each shop its endpoints.
 * `schema`: `plazo.` on PostgreSQL, empty on SQLite.
 */
export const failuresSql = (schema: '' | 'plazo.', now: number): string => {
  const endpoints = SHOPS.flatMap((shop) => [
    { shop, kind: 'event', isFailing: false },
    { shop, kind: 'ipn', isFailing: FAILING_SHOPS.includes(shop) },
  ])
  const endpointRows = endpoints.map(({ shop, kind, isFailing }) =>
    isFailing
      ? `('${shop}', '${kind}', ${now - FAILING_FOR - HOUR}, ${now - FAILING_FOR}, 2000)`
      : `('${shop}', '${kind}', ${now - HOUR}, null, 0)`,
  )
  const attempts = Array.from(
    { length: ATTEMPTS },
    (
      _,
      n,
    ) => `insert into ${schema}attempts (order_id, job, n, cause, started_at, outcome, duration, status)
      select order_id, n, ${n + 1}, 'schedule', ${now - (ATTEMPTS - n) * HOUR}, 'answered', 20, 500 from ${schema}outbox`,
  )
  return [
    `update ${schema}outbox set attempts = ${ATTEMPTS}, due_at = ${now + DAY}, state =
       case when (select o.checkout from ${schema}orders o where o.id = outbox.order_id) = 'expired'
         then 'stopped' else 'pending' end`,
    ...attempts,
    `insert into ${schema}endpoints (merchant, kind, last_good_at, failing_since, failures) values ${endpointRows.join(', ')}`,
  ].join(';')
}

/** Places `count` orders, the last an hour before `now`. */
export const placeMany = async (
  store: Pick<FullStore, 'place'>,
  count: number,
  now: number,
): Promise<void> => {
  for (let first = 0; first < count; first += TOGETHER)
    await Promise.all(
      Array.from({ length: Math.min(TOGETHER, count - first) }, (_, n) =>
        unwrap(store.place(manyOrder(first + n, count, now), '{"order":{}}')),
      ),
    )
}

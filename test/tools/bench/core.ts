// Measures the steps per second of the pure core: a whole checkout of six steps, again and again,
// without a store.
import {
  DEFAULT_RULES,
  initialStep,
  type Order,
  type OrderEvent,
  type Step,
  step,
  type Terms,
  wireNames,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { PERSON } from '../../harness/shop.ts'
import { inRounds, type Part, type PartOptions, type PartResult } from './rounds.ts'

const link = (...parts: readonly string[]): string => `http://localhost:3000/${parts.join('/')}`

const terms: Terms = {
  rules: DEFAULT_RULES,
  links: { wait: link, pay: link, payWithCard: link, verify: link, cancellationRequest: link },
  names: wireNames('Service', 'sq_state'),
}

const { service_privacy_policy_accepted: _accepted, ...person } = PERSON
const agreement = { product: 'fp1', instalmentCount: 1 }
const stepInput = { at: 0, random: { code: '12345', token: 'token' }, referenceIsTaken: false }

const right = (result: E.Either<{ readonly message: string }, Step>): Order => {
  if (E.isLeft(result)) throw new Error(result.left.message)
  return result.right.order
}

const placeInCore = (): Order =>
  right(
    initialStep(terms)(
      {
        orderRef: 'c6a7ed8e-3c7a-4a7e-9f54-93c1a7c4f5d1',
        placedAt: 0,
        merchant: {
          ref: 'demo',
          account: 'demo',
          country: null,
          products: ['fp1'],
          optionalFields: [],
          sendsActionEvents: false,
        },
        notifyUrl: 'http://127.0.0.1/notify',
        notificationParameters: {},
        returnUrl: 'http://127.0.0.1/',
        eventsWebhook: null,
        currency: 'EUR',
        total: 12_100,
        language: null,
        productCode: null,
      },
      { first: '', second: '' },
      stepInput,
    ),
  )

const PATH: readonly ((order: Order) => OrderEvent)[] = [
  () => ({ type: 'person.submitted', person, agreement }),
  () => ({ type: 'code.submitted', person, agreement, code: '12345' }),
  ({ context }) => ({
    type: 'screening.resolved',
    inReplyTo: context.pending.screening ?? '',
    outcome: 'approved',
    alternative: null,
  }),
  () => ({ type: 'person.submitted', person, agreement }),
  ({ context }) => ({
    type: 'payment.succeeded',
    inReplyTo: context.pending.payment ?? '',
    card: null,
    keep: false,
  }),
  ({ context }) => ({ type: 'ipn.accepted', inReplyTo: context.pending.ipn ?? '' }),
]

const coreFigures = (checkouts = 3000): { readonly stepsPerSecond: number } => {
  const walk = (): void => {
    let order = placeInCore()
    for (const event of PATH) order = right(step(terms)(order, event(order), stepInput))
    if (order.state.checkout !== 'confirmed')
      throw new Error(`The walk ended as ${order.state.checkout}.`)
  }
  for (let warm = 0; warm < checkouts / 3; warm++) walk()
  const startedAt = performance.now()
  for (let count = 0; count < checkouts; count++) walk()
  return {
    stepsPerSecond: Math.round(
      (checkouts * (PATH.length + 1)) / ((performance.now() - startedAt) / 1000),
    ),
  }
}

const CHECKOUTS = { full: 10_000, small: 300 } as const

const measure = ({ rounds, size, say }: PartOptions): Promise<PartResult> =>
  inRounds({ 'pure core': async () => coreFigures(CHECKOUTS[size]) }, { rounds, size, say })

/** Measures the steps per second of the pure core without a store: the cost of the rules alone. */
export const steps: Part = {
  name: 'steps',
  about: 'steps a second of the pure core, without a store',
  measure,
}

// Operators and merchants' staff: they decide late, twice, and against each other, and resend deliveries.
import type { SeededRandom } from '../harness/seeded-random.ts'
import { basic } from '../harness/shop.ts'
import type { EventLog } from './event-log.ts'
import type { Answered, Network } from './network.ts'
import type { Plan } from './order-plan.ts'
import type { Scheduler } from './scheduler.ts'
import { asMerchant } from './shopper.ts'

const operator = { authorization: basic('operator', 'operator') }
const NOTHING_LEFT = { order_total_with_tax: 0, items: [] }

export type Operators = {
  readonly review: (orderRef: string) => Promise<void>
  readonly afterwards: (orderRef: string) => Promise<void>
  readonly put: (orderRef: string, state: 'confirmed' | 'on_hold') => Promise<Answered | null>
}

type OperatorsParts = {
  readonly scheduler: Scheduler
  readonly network: Network
  readonly eventLog: EventLog
  readonly plan: Plan
  readonly draw: SeededRandom
}

const MINUTE = 60_000
const TRIES = 30

export const createOperators = ({ scheduler, network, eventLog, plan, draw }: OperatorsParts): Operators => {
  const { number } = plan
  const decide = (orderRef: string, decision: string): Promise<Answered | null> =>
    network.ask({ order: number, method: 'POST', path: `/console/orders/${orderRef}/${decision}`, headers: operator })

  /** Repeats a request until it is answered. If the first request did arrive, the repeated decision is rejected. */
  const retryUntilAnswered = async (ask: () => Promise<Answered | null>): Promise<Answered | null> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const answered = await ask()
      if (answered !== null && answered.status !== 503) return answered
      await scheduler.sleep(MINUTE * (1 + tries))
    }
    return null
  }

  const update = (orderRef: string, cart: unknown): Promise<Answered | null> =>
    network
      .ask({
        order: number,
        method: 'PUT',
        path: `/merchants/${plan.merchant}/orders/${plan.reference}`,
        headers: asMerchant,
        body: {
          order: {
            merchant: { id: plan.merchant },
            merchant_reference: {},
            shipped_cart: cart,
            unshipped_cart: NOTHING_LEFT,
          },
        },
      })
      .then((answered) => {
        eventLog.log(number, `Order Update of ${orderRef === '' ? 'nothing' : plan.reference}: ${answered?.status}`)
        return answered
      })

  const recoverDeliveries = async (): Promise<void> => {
    if (draw.below(4) !== 0) return
    eventLog.count('staff', 'deliveries recovered')
    const since = '2026-01-01T00:00:00.000Z'
    const path = `/merchants/${plan.merchant}/deliveries/recover`
    await network.ask({ order: number, method: 'POST', path, headers: asMerchant, body: { since } })
  }

  const act = (orderRef: string): Promise<Answered | null> => {
    switch (plan.afterwards) {
      case 'update':
        return update(orderRef, NOTHING_LEFT)
      case 'ship':
        return update(orderRef, { order_total_with_tax: plan.total, items: [] })
      case null:
        return Promise.resolve(null)
      default:
        return decide(orderRef, plan.afterwards)
    }
  }

  return {
    review: async (orderRef) => {
      await scheduler.sleep(plan.operatorTakes)
      eventLog.count('staff', `decided: ${plan.review}`)
      if (draw.below(5) === 0) {
        eventLog.count('staff', 'decided against each other')
        await Promise.all([decide(orderRef, 'approve'), decide(orderRef, 'reject')])
      }
      await retryUntilAnswered(() => decide(orderRef, plan.review))
      if (draw.below(4) === 0) await decide(orderRef, plan.review)
    },
    afterwards: async (orderRef) => {
      if (plan.afterwards === null) return
      await scheduler.sleep(draw.below(2) === 0 ? draw.below(30 * MINUTE) : draw.below(3000 * MINUTE))
      await retryUntilAnswered(() => act(orderRef))
      if (draw.below(4) === 0) {
        eventLog.count('staff', 'said it twice')
        await act(orderRef)
      }
      await recoverDeliveries()
    },
    put: (orderRef, state) =>
      network.ask({
        order: number,
        method: 'PUT',
        path: `/orders/${orderRef}`,
        headers: asMerchant,
        body: { order: { merchant: { id: plan.merchant }, state } },
      }),
  }
}

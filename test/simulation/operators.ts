// Operators and merchants' staff: they decide late, twice, and against each other, and resend deliveries.
import type { SeededRandom } from '../harness/seeded-random.ts'
import { type Answered, asMerchant, type ClientRequest, requestsOf } from '../harness/shopper.ts'
import type { EventLog } from './event-log.ts'
import type { Network } from './network.ts'
import type { Plan } from './order-plan.ts'
import type { Scheduler } from './scheduler.ts'

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
  const requests = requestsOf(plan)
  const ask = (request: ClientRequest): Promise<Answered | null> => network.ask({ order: number, ...request })
  const decide = (orderRef: string, decision: string): Promise<Answered | null> =>
    ask(requests.decide(orderRef, decision))

  /** Repeats a request until it is answered. If the first request did arrive, the repeated decision is rejected. */
  const retryUntilAnswered = async (request: () => Promise<Answered | null>): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const answered = await request()
      if (answered !== null && answered.status !== 503) return
      await scheduler.sleep(MINUTE * (1 + tries))
    }
  }

  const act = async (request: ClientRequest): Promise<Answered | null> => {
    const answered = await ask(request)
    if (request.method === 'PUT') eventLog.log(number, `Order Update of ${plan.reference}: ${answered?.status}`)
    return answered
  }

  const recoverDeliveries = async (): Promise<void> => {
    if (draw.below(4) !== 0) return
    eventLog.count('staff', 'deliveries recovered')
    const path = `/merchants/${plan.merchant}/deliveries/recover`
    await ask({ method: 'POST', path, headers: asMerchant, body: { since: '2026-01-01T00:00:00.000Z' } })
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
      const request = requests.afterwards(orderRef)
      if (request === null) return
      await scheduler.sleep(draw.below(2) === 0 ? draw.below(30 * MINUTE) : draw.below(3000 * MINUTE))
      await retryUntilAnswered(() => act(request))
      if (draw.below(4) === 0) {
        eventLog.count('staff', 'said it twice')
        await act(request)
      }
      await recoverDeliveries()
    },
    put: (orderRef, state) => ask(requests.put(orderRef, state)),
  }
}

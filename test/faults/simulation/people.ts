// The shoppers, operators and merchants' staff of a simulated world. Each works through their order
// in simulated time. Operators and staff decide late, twice, and against each other, and resend
// deliveries.
import {
  type Answered,
  asMerchant,
  type ClientRequest,
  requestsOf,
  walk,
} from '../../harness/shopper.ts'
import type { Network } from './network.ts'
import { DAY, drawnHabits, type Plan } from './order-plan.ts'
import { FAULTS_END, type WorldState } from './world-state.ts'

export type People = {
  /** Every shopper places their order when it is time. */
  readonly startShopping: () => void
  /**
   * Calls `endFaults` when the time of faults is over, and then decides every order that waits for
   * a person.
   */
  readonly startDraining: (endFaults: () => void) => void
  /** The merchant's own `PUT` with this state. */
  readonly put: (
    order: number,
    ...parameters: Parameters<Operators['put']>
  ) => ReturnType<Operators['put']>
  /** The number of people who are not finished. */
  readonly atWork: () => number
}

const URL_OF_MERCHANTS = 'http://127.0.0.1:9999'

/** The answers at which a shopper leaves. */
const LEAVES_AT = ['reject', 'show_error', 'show_conflict', 'finish', 'show_on_hold']

export const createPeople = (world: WorldState, network: Network): People => {
  const { scheduler, eventLog, plans, numbers, stream } = world
  const reviewed = new Set<string>()
  const finished = new Set<string>()
  let atWork = 0

  const start = (work: Promise<unknown>): void => {
    atWork += 1
    void work
      .catch((cause: unknown) =>
        eventLog.reportViolation(
          'the simulation itself',
          null,
          cause instanceof Error ? (cause.stack ?? '') : String(cause),
        ),
      )
      .finally(() => {
        atWork -= 1
      })
  }

  const operatorsOf = (number: number): Operators =>
    createOperators(world, network, plans.get(number) as Plan)

  const review = (orderRef: string, number: number): void => {
    reviewed.add(orderRef)
    start(operatorsOf(number).review(orderRef))
  }

  const shop = async (plan: Plan): Promise<void> => {
    const { number } = plan
    const habits = drawnHabits({
      plan,
      scheduler,
      draw: stream(number, 'shopper'),
      onWhim: (whim) => eventLog.count('shoppers', whim),
      onPlaced: () => eventLog.count('orders', 'placed'),
      leavesAt: (action, orderRef) => {
        if (action === 'show_on_hold' && !reviewed.has(orderRef)) review(orderRef, number)
        if (action === 'finish' && !finished.has(orderRef)) {
          finished.add(orderRef)
          start(operatorsOf(number).afterwards(orderRef))
        }
        return LEAVES_AT.includes(action)
      },
    })
    await scheduler.sleep(plan.placedAfter)
    const how = await walk(
      plan,
      (request) => network.ask({ order: number, ...request }),
      habits,
      URL_OF_MERCHANTS,
    )
    if (how !== 'ended') eventLog.count('shoppers', how)
  }

  /** Decides if the order waits for a person. Resolves to false if it does not. */
  const decideIfWaiting = async (orderRef: string, number: number): Promise<boolean> => {
    const answered = await network.ask({
      order: number,
      method: 'GET',
      path: `/api/v1/checkout/${orderRef}/wait`,
    })
    const action = answered?.body.action
    const takesNoIpn = plans.get(number)?.ipn === 'absent'
    if (action === 'show_on_hold') review(orderRef, number)
    else if (takesNoIpn && action === 'wait_for_confirmation')
      await operatorsOf(number).put(orderRef, 'confirmed')
    else if (takesNoIpn && action === 'wait_for_on_hold')
      await operatorsOf(number).put(orderRef, 'on_hold')
    else return false
    return true
  }

  /**
   * Ends after a whole day in which no order waited for a person. Merchants without an IPN confirm
   * by `PUT`.
   */
  const drain = async (endFaults: () => void): Promise<void> => {
    await scheduler.sleep(FAULTS_END)
    endFaults()
    for (let isQuiet = false; !isQuiet; ) {
      isQuiet = true
      await scheduler.sleep(DAY)
      for (const [orderRef, number] of numbers)
        if (await decideIfWaiting(orderRef, number)) isQuiet = false
    }
  }

  return {
    startShopping: () => {
      for (const plan of plans.values()) start(shop(plan))
    },
    startDraining: (endFaults) => start(drain(endFaults)),
    put: (order, ...parameters) => operatorsOf(order).put(...parameters),
    atWork: () => atWork,
  }
}

/** Operators and merchants' staff. */
type Operators = {
  readonly review: (orderRef: string) => Promise<void>
  readonly afterwards: (orderRef: string) => Promise<void>
  readonly put: (orderRef: string, state: 'confirmed' | 'on_hold') => Promise<Answered | null>
}

const MINUTE = 60_000
const TRIES = 30

const createOperators = (
  { scheduler, eventLog, stream }: WorldState,
  network: Network,
  plan: Plan,
): Operators => {
  const { number } = plan
  const draw = stream(number, 'staff')
  const requests = requestsOf(plan)
  const ask = (request: ClientRequest): Promise<Answered | null> =>
    network.ask({ order: number, ...request })
  const decide = (orderRef: string, decision: string): Promise<Answered | null> =>
    ask(requests.decide(orderRef, decision))

  /**
   * Repeats a request until it is answered. If the first request did arrive, the repeated decision
   * is rejected.
   */
  const retryUntilAnswered = async (request: () => Promise<Answered | null>): Promise<void> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const answered = await request()
      if (answered !== null && answered.status !== 503) return
      await scheduler.sleep(MINUTE * (1 + tries))
    }
  }

  const act = async (request: ClientRequest): Promise<Answered | null> => {
    const answered = await ask(request)
    if (request.method === 'PUT')
      eventLog.log(number, `Order Update of ${plan.reference}: ${answered?.status}`)
    return answered
  }

  const recoverDeliveries = async (): Promise<void> => {
    if (draw.below(4) !== 0) return
    eventLog.count('staff', 'deliveries recovered')
    const path = `/merchants/${plan.merchant.ref}/deliveries/recover`
    await ask({
      method: 'POST',
      path,
      headers: asMerchant(plan.merchant),
      body: { since: '2026-01-01T00:00:00.000Z' },
    })
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
      await scheduler.sleep(
        draw.below(2) === 0 ? draw.below(30 * MINUTE) : draw.below(3000 * MINUTE),
      )
      await retryUntilAnswered(() => act(request))
      if (draw.below(4) === 0) {
        eventLog.count('staff', 'said it twice')
        await act(request)
      }
      if (plan.afterwards === 'reduce' && draw.below(2) === 0) {
        eventLog.count('staff', 'cancelled what was reduced')
        await act(requests.cancel())
      }
      await recoverDeliveries()
    },
    put: (orderRef, state) => ask(requests.put(orderRef, state)),
  }
}

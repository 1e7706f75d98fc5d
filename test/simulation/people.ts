// The shoppers, operators and merchants' staff of a simulated world. Each works through their order in simulated time.
import { walk } from '../harness/shopper.ts'
import { FAULTS_END } from './faults.ts'
import { URL_OF_MERCHANTS } from './fixtures.ts'
import type { Network } from './network.ts'
import { createOperators, type Operators } from './operators.ts'
import { DAY, drawnHabits, type Plan } from './order-plan.ts'
import type { WorldState } from './world-state.ts'

export type People = {
  /** Every shopper places their order when it is time. */
  readonly startShopping: () => void
  /** Calls `endFaults` when the time of faults is over, and then decides every order that waits for a person. */
  readonly startDraining: (endFaults: () => void) => void
  /** The merchant's own `PUT` with this state. */
  readonly put: (order: number, ...parameters: Parameters<Operators['put']>) => ReturnType<Operators['put']>
  /** The number of people who are not finished. */
  readonly atWork: () => number
}

/** The answers at which a shopper leaves. */
const LEAVES_AT = ['reject', 'show_error', 'show_conflict', 'finish', 'show_on_hold']

export const createPeople = (world: WorldState, network: Network): People => {
  const { scheduler, eventLog, plans, numbers, named, paid, stream } = world
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
    createOperators({ scheduler, network, eventLog, plan: plans.get(number) as Plan, draw: stream(number, 'staff') })

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
      onPlaced: (orderRef) => {
        named.add(orderRef)
        eventLog.count('orders', 'placed')
      },
      onPaid: (orderRef, token) => void paid.push({ orderRef, token }),
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
    const how = await walk(plan, (request) => network.ask({ order: number, ...request }), habits, URL_OF_MERCHANTS)
    if (how !== 'ended') eventLog.count('shoppers', how)
  }

  /** Decides if the order waits for a person. Resolves to false if it does not. */
  const decideIfWaiting = async (orderRef: string, number: number): Promise<boolean> => {
    const answered = await network.ask({ order: number, method: 'GET', path: `/api/v1/checkout/${orderRef}/wait` })
    const action = answered?.body.action
    const takesNoIpn = plans.get(number)?.ipn === 'absent'
    if (action === 'show_on_hold') review(orderRef, number)
    else if (takesNoIpn && action === 'wait_for_confirmation') await operatorsOf(number).put(orderRef, 'confirmed')
    else if (takesNoIpn && action === 'wait_for_on_hold') await operatorsOf(number).put(orderRef, 'on_hold')
    else return false
    return true
  }

  /** Ends after a whole day in which no order waited for a person. Merchants without an IPN confirm by `PUT`. */
  const drain = async (endFaults: () => void): Promise<void> => {
    await scheduler.sleep(FAULTS_END)
    endFaults()
    for (let isQuiet = false; !isQuiet; ) {
      isQuiet = true
      await scheduler.sleep(DAY)
      for (const [orderRef, number] of numbers) if (await decideIfWaiting(orderRef, number)) isQuiet = false
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

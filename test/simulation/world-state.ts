// The state that all parts of a simulated world share: its time, its story, its faults and its orders.
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { type FaultLevels, newFaultLevels } from './faults.ts'
import { type Plan, planOf } from './order-plan.ts'
import { scheduler as newScheduler, type Scheduler } from './scheduler.ts'

export type WorldState = {
  readonly scheduler: Scheduler
  readonly eventLog: EventLog
  readonly faultLevels: FaultLevels
  /** The plan of each order, by the order's number. */
  readonly plans: ReadonlyMap<number, Plan>
  /** Each order's number, by its uuid. The store adds an order when it is placed. */
  readonly numbers: Map<string, number>
  /** Orders that a 204 has named: the server must never report these as unknown. */
  readonly named: Set<string>
  /** Payments that were reported to a shopper as successful. */
  readonly paid: { readonly orderRef: string; readonly token: string }[]
  /** The random stream for one use by one order, so that leaving out another order changes nothing here. */
  readonly stream: (order: number, use: string) => SeededRandom
}

/** `busyFor`: all orders are placed in this many milliseconds. */
export const createWorldState = (seed: number, orders: readonly number[], busyFor: number): WorldState => {
  const scheduler = newScheduler()
  const streams = new Map<string, SeededRandom>()
  return {
    scheduler,
    eventLog: createEventLog(scheduler.now),
    faultLevels: newFaultLevels(),
    plans: new Map(orders.map((number) => [number, planOf(seed, number, busyFor)] as const)),
    numbers: new Map(),
    named: new Set(),
    paid: [],
    stream: (order, use) => {
      const name = `order ${order} ${use}`
      const stream = streams.get(name) ?? seededRandom(seed, name)
      streams.set(name, stream)
      return stream
    },
  }
}

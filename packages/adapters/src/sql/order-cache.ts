// Keeps in memory what this process has decrypted or decided: orders, and the payloads of their
// jobs. Each checkout takes several steps within minutes, and most jobs are due at once, so most of
// them need no decryption.
import type { Step } from '@plazo/core'
import { type EffectPayload, hasNoPersonalData } from '@plazo/core/ports'
import { createBoundedCache } from './bounded-cache.ts'
import type { StoredOrder } from './order-writes.ts'

export type OrderCache<Row> = ReturnType<typeof createOrderCache<Row>>

// As many as the data keys that are cached. The first steps of a checkout follow each other within
// minutes.
const ORDERS_MAX = 24_000

// The payloads of a burst may wait for a while. Those without personal data, such as timers that
// wait for hours, are not cached: they need no decryption.
const PAYLOADS_MAX = 48_000

// A decision on an outdated order is wasted, which costs more than reading first. So orders are
// decided on unread only while they were current in this share of the last few dozen reads and steps.
// An outdated order counts twice: when it is read, and as current when its step is written.
const CURRENT_SHARE_MIN = 0.93
const RECENT = 64

/** For a store whose transaction may be undone later, with everything that was read in it. */
export const withoutOrderCache = <Row>(): OrderCache<Row> => ({
  get: () => undefined,
  guess: () => undefined,
  noteCurrent: () => {},
  add: () => {},
  addStep: () => {},
  payloadOf: () => undefined,
  removePayload: () => {},
  clear: () => {},
})

export const createOrderCache = <Row>() => {
  const orders = createBoundedCache<string, StoredOrder<Row>>(ORDERS_MAX)
  const payloads = createBoundedCache<string, EffectPayload>(PAYLOADS_MAX)
  let currentShare = 1

  const add = (stored: StoredOrder<Row>): void => {
    orders.set(stored.order.placed.orderRef, stored)
  }

  return {
    /** The order as this process last saw it. It may have changed since. */
    get: (orderRef: string): StoredOrder<Row> | undefined => orders.get(orderRef),
    /** Like `get`. Undefined if cached orders are so often outdated that reading first is cheaper. */
    guess: (orderRef: string): StoredOrder<Row> | undefined =>
      currentShare < CURRENT_SHARE_MIN ? undefined : orders.get(orderRef),
    /** Reports whether a cached order was found to be current when it was read or written. */
    noteCurrent: (wasCurrent: boolean): void => {
      currentShare += (Number(wasCurrent) - currentShare) / RECENT
    },
    /** Call it with an order that was read. */
    add,
    /** Call it once the step is committed. */
    addStep: ({ order, effects }: Step, row: Row): void => {
      add({ order, row })
      for (const effect of effects)
        if (effect.type === 'do' && !hasNoPersonalData(effect.payload))
          payloads.set(effect.key, effect.payload)
    },
    /** The payload of a job that this process has created, by its effect's key. */
    payloadOf: (key: string): EffectPayload | undefined => payloads.get(key),
    /** Call it when a job is completed and will not run again. */
    removePayload: (key: string): void => void payloads.delete(key),
    clear: (): void => {
      orders.clear()
      payloads.clear()
    },
  }
}

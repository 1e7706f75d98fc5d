// Where a trace is written down while things happen, and how it is read out as one order's.
import type { Order } from '../order/order.ts'
import type { Terms } from '../order/terms.ts'
import type { Clock } from '../ports/clock.ts'
import type { Part, Seen, Trace } from './trace.ts'

/** Where it is written down: `null` is what concerns every order, such as time. */
export type Notebook = {
  readonly note: (orderRef: string | null, seen: Seen) => void
  readonly seenOf: (orderRef: string) => readonly Seen[]
}

export const notebook = (): Notebook => {
  const all: { readonly orderRef: string | null; readonly seen: Seen }[] = []
  return {
    note: (orderRef, seen) => void all.push({ orderRef, seen }),
    seenOf: (orderRef) =>
      all.flatMap((each) => (each.orderRef === null || each.orderRef === orderRef ? [each.seen] : [])),
  }
}

/** What a host over a store of this process sees, when everything it is made of is recorded. */
export const HOST_OBSERVES: readonly Part[] = [
  'submission',
  'poll',
  'line',
  'step',
  'cause',
  'replay',
  'work',
  'sent',
  'heard',
  'judged',
  'message',
  'payment',
  'decided',
  'merchant',
  'operator',
  'clock',
  'idle',
  'instant',
  'asked',
]

/** The trace of one order; `observes` is what this source can see. */
export const traceOf = (
  { seenOf }: Notebook,
  { placed }: Pick<Order, 'placed'>,
  { rules, names }: Terms,
  observes: readonly Part[] = HOST_OBSERVES,
): Trace => ({ placed, rules, names, observes, seen: seenOf(placed.orderRef), twin: null })

export type Recorded = { readonly terms: Terms; readonly clock: Clock; readonly notes: Notebook }

// Several recording wrappers write to one recorder while a test runs. Afterwards it returns the
// trace of each order.

import type { Terms } from '../../order/model.ts'
import type { Order } from '../../order/order.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { Part, Trace, TraceEntry } from './trace.ts'

/** `orderRef` null: the entry concerns every order, such as the passing of time. */
export type TraceRecorder = {
  readonly record: (orderRef: string | null, entry: TraceEntry) => void
  readonly entriesOf: (orderRef: string) => readonly TraceEntry[]
}

/** Makes an empty recorder, for all orders of a test. */
export const traceRecorder = (): TraceRecorder => {
  const all: { readonly orderRef: string | null; readonly entry: TraceEntry }[] = []
  return {
    record: (orderRef, entry) => void all.push({ orderRef, entry }),
    entriesOf: (orderRef) =>
      all.flatMap((each) =>
        each.orderRef === null || each.orderRef === orderRef ? [each.entry] : [],
      ),
  }
}

/** The parts that a host in this process can see if its store and all its ports are recorded. */
export const HOST_OBSERVES: readonly Part[] = [
  ...([
    'submission',
    'poll',
    'line',
    'step',
    'cause',
    'replay',
    'work',
    'request',
    'answer',
  ] as const),
  ...([
    'outcome',
    'message',
    'payment',
    'decision',
    'merchant',
    'operator',
    'clock',
    'idle',
  ] as const),
  ...(['instant', 'answer_time'] as const),
]

/** The trace of one order. `observes`: the parts that this source can see. */
export const traceOf = (
  { entriesOf: seenOf }: TraceRecorder,
  { placed }: Pick<Order, 'placed'>,
  { rules, names }: Terms,
  observes: readonly Part[] = HOST_OBSERVES,
): Trace => ({
  placed,
  rules,
  names,
  observes,
  entries: seenOf(placed.orderRef),
  twin: null,
})

/** What the wrappers of ports need to record. */
export type RecordingContext = {
  readonly terms: Terms
  readonly clock: Clock
  readonly recorder: TraceRecorder
}

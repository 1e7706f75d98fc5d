// Many parts of a test write to one notebook while it runs. Afterwards it yields the trace of each order.
import type { Order } from '../../order/order.ts'
import type { Terms } from '../../order/terms.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { Part, Trace, TraceEntry } from './trace.ts'

/** `orderRef` null: the entry concerns every order, such as the passing of time. */
export type TraceRecorder = {
  readonly record: (orderRef: string | null, seen: TraceEntry) => void
  readonly entriesOf: (orderRef: string) => readonly TraceEntry[]
}

export const traceRecorder = (): TraceRecorder => {
  const all: { readonly orderRef: string | null; readonly seen: TraceEntry }[] = []
  return {
    record: (orderRef, seen) => void all.push({ orderRef, seen }),
    entriesOf: (orderRef) =>
      all.flatMap((each) => (each.orderRef === null || each.orderRef === orderRef ? [each.seen] : [])),
  }
}

/** The parts that a host in this process can see if its store and all its ports are recorded. */
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

/** The trace of one order. `observes`: the parts that this source can see. */
export const traceOf = (
  { entriesOf: seenOf }: TraceRecorder,
  { placed }: Pick<Order, 'placed'>,
  { rules, names }: Terms,
  observes: readonly Part[] = HOST_OBSERVES,
): Trace => ({ placed, rules, names, observes, seen: seenOf(placed.orderRef), twin: null })

export type RecordingContext = { readonly terms: Terms; readonly clock: Clock; readonly notes: TraceRecorder }

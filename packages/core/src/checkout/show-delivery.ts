// Converts deliveries to the form that merchants and operators see. Contract §3, Deliveries.
import type { Attempt } from '../delivery/attempt.ts'
import type { Delivery } from '../ports/deliveries.ts'
import type { AttemptView, DeliveryView, ExampleView } from '../protocol/delivery-view.ts'
import type { Example } from './send-example.ts'

const instant = (at: number): string => new Date(at).toISOString()

const attemptView = ({
  n,
  trigger,
  startedAt,
  durationMillis,
  outcome,
  status,
  error,
  response,
}: Attempt): AttemptView => ({
  n,
  trigger,
  started_at: instant(startedAt),
  duration_ms: durationMillis,
  outcome,
  status,
  error,
  response,
})

export const deliveryView = ({ id, event, orderRef, state, dueAt, attempts }: Delivery): DeliveryView => ({
  id,
  event,
  order_ref: orderRef,
  state,
  due_at: dueAt === null ? null : instant(dueAt),
  attempts: attempts.map(attemptView),
})

export const exampleView = ({ id, work, outcome, report }: Example): ExampleView => ({
  id,
  event: work.kind === 'event' ? work.event : 'ipn',
  url: work.url,
  body: work.body,
  outcome,
  status: report.status,
  error: report.error,
  response: report.response,
  duration_ms: report.durationMillis,
})

// Deliveries as merchants and operators see them. Contract §3, Deliveries.
import type { EventName } from '../delivery/acceptance.ts'
import type { Attempt, Outcome, Trigger } from '../delivery/attempt.ts'
import type { Delivery, DeliveryState } from '../ports/deliveries.ts'
import type { Example } from './send-example.ts'

export type AttemptView = {
  readonly n: number
  readonly trigger: Trigger
  /** ISO 8601 in UTC. */
  readonly started_at: string
  readonly duration_ms: number | null
  /** Null while it is in flight. */
  readonly outcome: Outcome | null
  readonly status: number | null
  readonly error: string | null
  readonly response: string | null
}

export type DeliveryView = {
  readonly id: string
  readonly event: EventName | 'ipn'
  readonly order_ref: string
  readonly state: DeliveryState
  readonly due_at: string | null
  readonly attempts: readonly AttemptView[]
}

export type ExampleView = Pick<AttemptView, 'duration_ms' | 'outcome' | 'status' | 'error' | 'response'> & {
  readonly id: string
  readonly event: EventName | 'ipn'
  readonly url: string
  /** What was sent. */
  readonly body: string
}

const instant = (at: number): string => new Date(at).toISOString()

const attemptView = ({ n, trigger, startedAt, durationMillis, outcome, status, error, response }: Attempt) => ({
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

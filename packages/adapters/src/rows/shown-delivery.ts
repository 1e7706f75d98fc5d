// Builds the `Delivery` that a store returns from its outbox row and its attempts.
import { type Attempt, type Delivery, effectKey } from '@plazo/core'
import { deliveryState, type StoredState } from './delivery-state.ts'

export type DeliveryRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly event: Delivery['event']
  readonly state: StoredState
  readonly due_at: number
}

export const shownDelivery = (row: DeliveryRow, attempts: readonly Attempt[]): Delivery => {
  const state = deliveryState(row.state)
  return {
    id: effectKey(row.order_ref, row.revision, row.lane),
    event: row.event,
    orderRef: row.order_ref,
    state,
    dueAt: state === 'pending' ? row.due_at : null,
    attempts,
  }
}

const answerBytesOf = ({ attempts }: Delivery): number =>
  attempts.reduce((sum, { response }) => sum + (response === null ? 0 : Buffer.byteLength(response)), 0)

/**
 * Reads deliveries one by one, newest first, until the responses stored with them reach `answerBytes`. Reads at least one.
 *
 * @returns newest last
 */
export const withinAnswerBytes = <Row>(
  newestFirst: readonly Row[],
  read: (row: Row) => Delivery,
  answerBytes = Number.POSITIVE_INFINITY,
): readonly Delivery[] => {
  const listed: Delivery[] = []
  let bytes = 0
  for (const row of newestFirst) {
    if (listed.length > 0 && bytes >= answerBytes) break
    const delivery = read(row)
    bytes += answerBytesOf(delivery)
    listed.push(delivery)
  }
  return listed.reverse()
}

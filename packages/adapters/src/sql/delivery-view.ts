// Builds the `Delivery` that a store returns from its outbox row and its attempts.
import {
  type Attempt,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryErased,
  type DeliveryState,
  effectKey,
} from '@plazo/core'

export type StoredState = Exclude<DeliveryState, 'pending'> | 'queued' | 'pending' | 'claimed'

/** Outbox rows distinguish queued, pending and claimed deliveries. The interface shows all three as `pending`. */
export const publicDeliveryState = (stored: StoredState): DeliveryState =>
  stored === 'queued' || stored === 'claimed' ? 'pending' : stored

/** The stored states that are shown as `state`. Null: all stored states. */
export const storedStatesOf = (state: DeliveryState | null): readonly StoredState[] =>
  (state === null ? DELIVERY_STATES : [state]).flatMap((each): readonly StoredState[] =>
    each === 'pending' ? ['queued', 'pending', 'claimed'] : [each],
  )

export const deliveryErased: DeliveryErased = {
  _tag: 'DeliveryErased',
  message: 'The shopper’s data was erased, including this message. It cannot be resent.',
}

export type DeliveryRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly event: Delivery['event']
  readonly state: StoredState
  readonly due_at: number
}

export const toDelivery = (row: DeliveryRow, attempts: readonly Attempt[]): Delivery => {
  const state = publicDeliveryState(row.state)
  return {
    id: effectKey(row.order_ref, row.revision, row.lane),
    event: row.event,
    orderRef: row.order_ref,
    state,
    dueAt: state === 'pending' ? row.due_at : null,
    attempts,
  }
}

const responseBytes = ({ attempts }: Delivery): number =>
  attempts.reduce((sum, { response }) => sum + (response === null ? 0 : Buffer.byteLength(response)), 0)

/**
 * Reads deliveries one by one, newest first, until the responses stored with them reach `answerBytes`. Reads at least one.
 *
 * @returns newest last
 */
export const readWithinByteLimit = <Row>(
  newestFirst: readonly Row[],
  read: (row: Row) => Delivery,
  answerBytes = Number.POSITIVE_INFINITY,
): readonly Delivery[] => {
  const listed: Delivery[] = []
  let bytes = 0
  for (const row of newestFirst) {
    if (listed.length > 0 && bytes >= answerBytes) break
    const delivery = read(row)
    bytes += responseBytes(delivery)
    listed.push(delivery)
  }
  return listed.reverse()
}

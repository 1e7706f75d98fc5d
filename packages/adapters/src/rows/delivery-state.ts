// Outbox rows distinguish queued, pending and claimed deliveries. The interface shows all three as `pending`.
import { DELIVERY_STATES, type DeliveryErased, type DeliveryState } from '@plazo/core'

export type StoredState = Exclude<DeliveryState, 'pending'> | 'queued' | 'pending' | 'claimed'

export const publicDeliveryState = (stored: StoredState): DeliveryState =>
  stored === 'queued' || stored === 'claimed' ? 'pending' : stored

/** The stored states that are shown as `state`. Null: all stored states. */
export const storedStatesOf = (state: DeliveryState | null): readonly StoredState[] =>
  (state === null ? DELIVERY_STATES : [state]).flatMap((each): readonly StoredState[] =>
    each === 'pending' ? ['queued', 'pending', 'claimed'] : [each],
  )

export const deliveryErased: DeliveryErased = {
  _tag: 'DeliveryErased',
  message: 'The order’s shopper was forgotten, and what was sent of him with it: it cannot be sent again.',
}

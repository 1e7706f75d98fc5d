// Builds the `Delivery` that a store returns from its outbox row and its attempts.
import {
  type Attempt,
  type Delivery,
  type DeliveryErased,
  type DeliveryNotFound,
  effectKey,
  isRecoverable,
  type RecoverRequest,
} from '@plazo/core/ports'
import { DELIVERY_STATES, type DeliveryState } from '@plazo/core/protocol'

export type StoredState = Exclude<DeliveryState, 'pending'> | 'queued' | 'pending' | 'claimed'

/**
 * Outbox rows distinguish queued, pending and claimed deliveries. The interface shows all three as
 * `pending`.
 */
export const publicDeliveryState = (stored: StoredState): DeliveryState =>
  stored === 'queued' || stored === 'claimed' ? 'pending' : stored

/** The stored states that are shown as `state`. Null: all stored states. */
export const storedStatesOf = (state: DeliveryState | null): readonly StoredState[] =>
  (state === null ? DELIVERY_STATES : [state]).flatMap((each): readonly StoredState[] =>
    each === 'pending' ? ['queued', 'pending', 'claimed'] : [each],
  )

export const deliveryNotFound: DeliveryNotFound = { _tag: 'DeliveryNotFound' }

export const deliveryErased: DeliveryErased = {
  _tag: 'DeliveryErased',
  message: 'The shopper’s data was erased, including this message. It cannot be resent.',
}

export type DeliveryRow = {
  readonly id: number
  readonly order_ref: string
  readonly merchant: string
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

export const isRecoverableRow = ({ state }: Pick<DeliveryRow, 'state'>): boolean =>
  isRecoverable(publicDeliveryState(state))

type RecoveryCandidate = Pick<DeliveryRow, 'id' | 'state'> & { readonly tried_at: number }

/** The deliveries of a page that a recovery resends, and where its next page begins. */
export const selectRecoverable = <Row extends RecoveryCandidate>(
  page: readonly Row[],
  { since, at, limit }: RecoverRequest,
): { readonly matching: readonly Row[]; readonly next: number | null } => ({
  matching: page.filter(
    (row) => isRecoverableRow(row) && row.tried_at >= since && row.tried_at <= at,
  ),
  next: page.length < limit ? null : (page.at(-1)?.id ?? null),
})

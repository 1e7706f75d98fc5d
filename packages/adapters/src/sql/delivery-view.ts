// The states and errors of deliveries that all stores share, also one without Node.
import {
  type DeliveryErased,
  type DeliveryNotFound,
  isRecoverable,
  type RecoverRequest,
} from '@plazo/core/ports'
import type { DeliveryState } from '@plazo/core/protocol'

/** As an outbox row names it. */
export type StoredState = Exclude<DeliveryState, 'pending'> | 'queued' | 'pending' | 'claimed'

/** The interface shows queued, pending and claimed deliveries as `pending`. */
export const publicDeliveryState = (stored: StoredState): DeliveryState =>
  stored === 'queued' || stored === 'claimed' ? 'pending' : stored

export const deliveryNotFound: DeliveryNotFound = { _tag: 'DeliveryNotFound' }

export const deliveryErased: DeliveryErased = {
  _tag: 'DeliveryErased',
  message: 'The shopper’s data was erased, including this message. It cannot be resent.',
}

export const isRecoverableRow = ({ state }: { readonly state: StoredState }): boolean =>
  isRecoverable(publicDeliveryState(state))

/** The deliveries of a page that a recovery resends, and where its next page begins. */
export const selectRecoverable = <
  Row extends { readonly id: number; readonly state: StoredState; readonly tried_at: number },
>(
  page: readonly Row[],
  { since, at, limit }: RecoverRequest,
) => ({
  matching: page.filter(
    (row) => isRecoverableRow(row) && row.tried_at >= since && row.tried_at <= at,
  ),
  next: page.length < limit ? null : (page.at(-1)?.id ?? null),
})

// What a step asks the host to do, as data: it is stored with the order and carried out after the commit.

import type { Agreement } from '../protocol/credit-product.ts'
import type { Person } from '../protocol/identification-form.ts'
import type { IpnState } from '../protocol/ipn.ts'
import type { LifecycleEventName } from '../protocol/lifecycle-event.ts'
import type { SavedCard } from './order-context.ts'

/** A request to the merchant; `body` is frozen to the byte when the event is made. */
export type MerchantRequest = { readonly url: string; readonly contentType: string; readonly body: string }

export type Work =
  | { readonly kind: 'sms'; readonly to: string; readonly text: string; readonly code: string }
  | {
      readonly kind: 'screening'
      readonly person: Person
      readonly agreement: Agreement
      readonly total: number
      readonly currency: string
      readonly merchant: string
    }
  | { readonly kind: 'cards'; readonly owner: CardOwner }
  | { readonly kind: 'session'; readonly person: Person; readonly token: string }
  | { readonly kind: 'payment'; readonly amount: number; readonly currency: string; readonly token: string }
  | { readonly kind: 'void'; readonly payment: string }
  | { readonly kind: 'refund'; readonly payment: string; readonly amount: number; readonly currency: string }
  | { readonly kind: 'card'; readonly owner: CardOwner; readonly card: SavedCard }
  | {
      readonly kind: 'risk'
      readonly person: Person
      readonly amount: number
      readonly currency: string
      readonly underEvaluation: boolean
    }
  | { readonly kind: 'watch'; readonly person: Person }
  | ({ readonly kind: 'ipn'; readonly state: IpnState } & MerchantRequest)
  | ({ readonly kind: 'event'; readonly event: LifecycleEventName | 'identification_action' } & MerchantRequest)
  | { readonly kind: 'timer'; readonly timer: string }

/** The timer that ends the confirmation of an order that was held, where the merchant takes no IPN. Contract §4. */
export const IPN_WEEK = 'ipn.week'

/** Whose cards they are: the same document and phone, at the same account. Contract §4, Saved cards. */
export type CardOwner = { readonly account: string; readonly nin: string; readonly phone: string }

export type WorkKind = Work['kind']

/** First in, first out for one order and lane. Contract §6, Ordering; every kind of other work is a lane of its own. */
export type Lane = string

export type Effect =
  | {
      readonly type: 'do'
      /** `<order_ref>:<revision>:<lane>`: derived, so that a repeat of the step makes the same key. */
      readonly key: string
      readonly lane: Lane
      readonly work: Work
      /** Not before this instant, epoch milliseconds. */
      readonly dueAt: number
      /** Of no use after this instant: a code's SMS, say. */
      readonly until: number | null
      /**
       * Not while the order has an attempt in flight in this lane: that attempt's answer decides first. Nor does the lane begin
       * anything that is due no earlier than this, nor anything at all while this is in flight.
       */
      readonly behind: Lane | null
    }
  /** Stops what is pending in the lane; what is in flight finishes, and its answer changes nothing. */
  | { readonly type: 'withdraw'; readonly lane: Lane }
  /** Makes what is pending in the lane due at once: at the step's instant, the order's `updatedAt`. */
  | { readonly type: 'hasten'; readonly lane: Lane }

export const effectKey = (orderRef: string, revision: number, lane: Lane): string => `${orderRef}:${revision}:${lane}`

/** Of an effect's key, without looking whether it is one. */
export const laneOfKey = (key: string): string => key.slice(key.lastIndexOf(':') + 1)

/** The parts of what may be an effect's key; of anything else, parts that no effect has. */
export const effectKeyParts = (
  key: string,
): { readonly orderRef: string; readonly revision: number; readonly lane: string } => {
  const [, orderRef = '', revision = '0', lane = ''] = /^(.+):(\d{1,15}):([^:]+)$/s.exec(key) ?? []
  return { orderRef, revision: Number(revision), lane }
}

// Effects describe as data what the host must do after a step. They are stored in the same
// transaction as the order and run after the commit, so that a crash loses none of them.
import type { Agreement } from '../../protocol/credit-product.ts'
import type { Person } from '../../protocol/identification-form.ts'
import type { SavedCard } from '../../protocol/provider-answer.ts'
import type { IpnState, LifecycleEventName } from '../../protocol/webhook-event.ts'
import { isReply, type OrderEvent, type ReplyEvent } from '../order.ts'
import type { OrderContext, Placed } from '../order-context.ts'

/** A request to the merchant. The bytes of `body` are fixed when the event is created. */
export type MerchantRequest = {
  readonly url: string
  readonly contentType: string
  readonly body: string
}

/**
 * What the host does for the order, with all that it needs for it. Amounts are in minor units.
 * `sms`, `screening` and others are provider requests; `event` and `ipn` are sent to the merchant;
 * `timer` brings an event.
 */
export type EffectPayload =
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
  | {
      readonly kind: 'payment'
      readonly amount: number
      readonly currency: string
      readonly token: string
    }
  | { readonly kind: 'void'; readonly payment: string }
  | {
      readonly kind: 'refund'
      readonly payment: string
      readonly amount: number
      readonly currency: string
    }
  | { readonly kind: 'card'; readonly owner: CardOwner; readonly card: SavedCard }
  | {
      readonly kind: 'risk'
      readonly person: Person
      readonly amount: number
      readonly currency: string
      readonly underEvaluation: boolean
    }
  | { readonly kind: 'watch'; readonly person: Person }
  | ({
      readonly kind: 'ipn'
      readonly state: IpnState
    } & MerchantRequest)
  | ({
      readonly kind: 'event'
      readonly event: LifecycleEventName | 'identification_action'
    } & MerchantRequest)
  | { readonly kind: 'timer'; readonly timer: string }

/**
 * The timer that ends the confirmation of an order that was held, if the merchant has no IPN URL.
 * Contract §4.
 */
export const IPN_DEADLINE = 'ipn.week'

/** The event of a timer that is due. */
export const timerEvent = (inReplyTo: string, timer: string): ReplyEvent =>
  timer === IPN_DEADLINE
    ? { type: 'ipn.exhausted', inReplyTo }
    : { type: 'timer.fired', inReplyTo, timer }

/**
 * Identifies the owner of saved cards: same ID document and phone, at the same account. Contract
 * §4, Saved cards.
 */
export type CardOwner = { readonly account: string; readonly nin: string; readonly phone: string }

/** The name of what an effect does, such as `sms` or `ipn`. */
export type EffectKind = EffectPayload['kind']

/** Deliveries to merchants are counted separately from all other work. Contract §6, Fairness. */
export type QueueName = 'event' | 'ipn' | 'work'

/** The queue in which effects of a kind take turns. */
export const queueNameOf = (kind: EffectKind): QueueName =>
  kind === 'event' || kind === 'ipn' ? kind : 'work'

// These kinds contain only plazo's own keys of payments and timers.
const KINDS_WITHOUT_PERSONAL_DATA = new Set<EffectKind>(['timer', 'void', 'refund'])

/**
 * Tells whether a payload is free of a shopper's data. True: a store may keep the payload
 * unencrypted, so that it can be read without a key.
 */
export const hasNoPersonalData = ({ kind }: EffectPayload): boolean =>
  KINDS_WITHOUT_PERSONAL_DATA.has(kind)

/** The event of a delivery, or `ipn`; lists show it without a key. Null for other work. */
export const deliveryEventName = (payload: EffectPayload): string | null =>
  payload.kind === 'event' ? payload.event : payload.kind === 'ipn' ? 'ipn' : null

/**
 * Effects of one order and lane run first in, first out. Contract §6, Ordering. Other kinds of work
 * have a lane each.
 */
export type Lane = string

/**
 * An instruction to the host, stored with the order: do something, or change what waits in a lane.
 */
export type Effect =
  | {
      readonly type: 'do'
      /**
       * `<order_ref>:<revision>:<lane>`. Derived, so that a repeated step produces the same key.
       */
      readonly key: string
      readonly lane: Lane
      readonly payload: EffectPayload
      /** The effect does not run before this instant, epoch milliseconds. */
      readonly dueAt: number
      /**
       * The effect is useless after this instant, for example the SMS with an expired code. Null:
       * never.
       */
      readonly expiresAt: number | null
    }
  /**
   * Stops the pending effects of the lane. One that is in flight finishes, but its answer changes
   * nothing.
   */
  | { readonly type: 'revoke'; readonly lane: Lane }
  /** Makes the pending effects of the lane due at the step's instant, the order's `updatedAt`. */
  | { readonly type: 'expedite'; readonly lane: Lane }

/** An effect that becomes a job. The others change jobs that wait. */
export type DoEffect = Extract<Effect, { readonly type: 'do' }>

/**
 * The key of the effect that this revision starts in this lane. It is the idempotency key of
 * providers and the `Webhook-Id` of merchants. Decision 0001.
 */
export const effectKey = (orderRef: string, revision: number, lane: Lane): string =>
  `${orderRef}:${revision}:${lane}`

/** The lane in an effect's key. Does not check that `key` is an effect's key. */
export const laneOfKey = (key: string): string => key.slice(key.lastIndexOf(':') + 1)

const KEY = /^(?<orderRef>.+):(?<revision>\d{1,15}):(?<lane>[^:]+)$/s

/** The parts of an effect's key. For any other string, returns parts that no effect has. */
export const effectKeyParts = (key: string) => {
  const { orderRef = '', revision = 0, lane = '' } = KEY.exec(key)?.groups ?? {}
  return { orderRef, revision: Number(revision), lane }
}

// The order keeps, for each lane, the key of the effect whose answer it awaits. Without it a late
// answer to an old effect would change the order.
type PendingKeys = OrderContext['pending']

export const isPending = (
  pending: PendingKeys,
  { inReplyTo }: Pick<ReplyEvent, 'inReplyTo'>,
): boolean => pending[laneOfKey(inReplyTo)] === inReplyTo

// After these answers their effect is still awaited: another answer will follow.
const INTERIM_REPLIES = new Set<OrderEvent['type']>([
  'session.opened',
  'payment.opened',
  'payment.challenged',
  'ipn.erred',
])

/** The pending answers that remain after the event. */
export const resolvePending = (pending: PendingKeys, event: OrderEvent): PendingKeys => {
  if (!isReply(event) || INTERIM_REPLIES.has(event.type) || !isPending(pending, event))
    return pending
  const { [laneOfKey(event.inReplyTo)]: _answered, ...rest } = pending
  return rest
}

/**
 * A `do` effect adds its lane's key, a `revoke` removes it. A `revoke` is dropped if nothing was
 * awaited in its lane, neither before the event nor since: it would do nothing. The state before
 * the event counts because an answered effect may still be in flight. For example, the answer of a
 * card form can arrive while the effect that opened it still runs.
 */
export const trackPending = (
  before: PendingKeys,
  pending: PendingKeys,
  effects: readonly Effect[],
): { readonly pending: PendingKeys; readonly effects: readonly Effect[] } => {
  const next: Record<string, string> = { ...pending }
  const effective = effects.filter((effect) => {
    if (effect.type === 'do' && awaitsReply(effect.lane)) next[effect.lane] = effect.key
    if (effect.type !== 'revoke') return true
    const wasPending = effect.lane in next || effect.lane in before
    delete next[effect.lane]
    return wasPending
  })
  return { pending: next, effects: effective }
}

/**
 * The lane that the effects of this lane exclude. They do not start while the order has an attempt in
 * flight there: its answer decides first. That lane starts nothing that is due at the same time or
 * later, nor while one of them is in flight. So the checkout ends after an attempt of the IPN.
 */
export const laneExcludedBy = (lane: Lane): Lane | null =>
  lane === 'timer.checkoutLifetime' ? 'ipn' : null

const EVENT_LANES = new Set(['notice', 'action', 'cancel'])

/** The kind of an effect, by its lane. Without an IPN URL, the lane `ipn` has only a timer. */
export const kindInLane = ({ notifyUrl }: Placed, lane: Lane): EffectKind => {
  if (lane.startsWith('timer.') || (lane === 'ipn' && notifyUrl === null)) return 'timer'
  return EVENT_LANES.has(lane) ? 'event' : (lane as EffectKind)
}

const LANES_WITHOUT_REPLY = new Set(['notice', 'action', 'void', 'card'])

/** True if an order keeps the key of the lane's effect until its answer. */
const awaitsReply = (lane: Lane): boolean => !LANES_WITHOUT_REPLY.has(lane)

// The order keeps, for each lane, the key of the effect whose answer it awaits. Without it a late answer to an old effect
// would change the order.

import type { OrderContext } from '../order-context.ts'
import { isFinalReply, isReply, type OrderEvent, type ReplyEvent } from '../order-event.ts'
import { type Effect, laneOfKey } from './effect.ts'

type PendingKeys = OrderContext['awaited']

export const isPending = (awaited: PendingKeys, { inReplyTo }: Pick<ReplyEvent, 'inReplyTo'>): boolean =>
  awaited[laneOfKey(inReplyTo)] === inReplyTo

/** The pending answers that remain after the event. */
export const resolvePending = (awaited: PendingKeys, event: OrderEvent): PendingKeys => {
  if (!isReply(event) || !isFinalReply(event) || !isPending(awaited, event)) return awaited
  const { [laneOfKey(event.inReplyTo)]: _answered, ...rest } = awaited
  return rest
}

/**
 * A `do` effect adds its lane's key, a `revoke` removes it. A `revoke` is dropped if nothing was awaited in its lane,
 * neither before the event nor since: it would do nothing. The state before the event counts because an answered effect may
 * still be in flight. For example, the answer of a card form can arrive while the effect that opened it still runs.
 */
export const trackPending = (
  before: PendingKeys,
  awaited: PendingKeys,
  effects: readonly Effect[],
): { readonly awaited: PendingKeys; readonly effects: readonly Effect[] } => {
  const next: Record<string, string> = { ...awaited }
  const effective = effects.filter((effect) => {
    if (effect.type === 'do' && !LANES_WITHOUT_REPLY.has(effect.lane)) next[effect.lane] = effect.key
    if (effect.type !== 'revoke') return true
    const wasPending = effect.lane in next || effect.lane in before
    delete next[effect.lane]
    return wasPending
  })
  return { awaited: next, effects: effective }
}

const LANES_WITHOUT_REPLY = new Set(['notice', 'action', 'void', 'card'])

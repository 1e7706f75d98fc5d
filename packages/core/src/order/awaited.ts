// The order keeps, for each lane, the key of the effect whose answer it awaits. Without it a late answer to an old effect
// would change the order.
import { type Effect, laneOfKey } from './effect.ts'
import type { OrderContext } from './order-context.ts'
import { type AnswerEvent, isAnswer, isFinalReply, type OrderEvent } from './order-event.ts'

type Awaited = OrderContext['awaited']

export const isPending = (awaited: Awaited, { answers }: Pick<AnswerEvent, 'answers'>): boolean =>
  awaited[laneOfKey(answers)] === answers

/** The pending answers that remain after the event. */
export const resolvePending = (awaited: Awaited, event: OrderEvent): Awaited => {
  if (!isAnswer(event) || !isFinalReply(event) || !isPending(awaited, event)) return awaited
  const { [laneOfKey(event.answers)]: _answered, ...rest } = awaited
  return rest
}

/**
 * A `do` effect adds its lane's key, a `revoke` removes it. A withdrawal is dropped if nothing was awaited in its lane,
 * neither before the event nor since: it would do nothing. The state before the event counts because an answered effect may
 * still be in flight. For example, the answer of a card form can arrive while the effect that opened it still runs.
 */
export const trackPending = (
  before: Awaited,
  awaited: Awaited,
  effects: readonly Effect[],
): { readonly awaited: Awaited; readonly effects: readonly Effect[] } => {
  const next: Record<string, string> = { ...awaited }
  const kept = effects.filter((effect) => {
    if (effect.type === 'do' && !UNAWAITED.has(effect.lane)) next[effect.lane] = effect.key
    if (effect.type !== 'withdraw') return true
    const wasAwaited = effect.lane in next || effect.lane in before
    delete next[effect.lane]
    return wasAwaited
  })
  return { awaited: next, effects: kept }
}

const UNAWAITED = new Set(['notice', 'action', 'void', 'card'])

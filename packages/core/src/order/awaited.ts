// Which answers an order waits for: by lane, the key of the effect that asked.
import { type Effect, laneOfKey } from './effect.ts'
import type { OrderContext } from './order-context.ts'
import { type AnswerEvent, concludes, isAnswer, type OrderEvent } from './order-event.ts'

type Awaited = OrderContext['awaited']

export const isAwaited = (awaited: Awaited, { answers }: Pick<AnswerEvent, 'answers'>): boolean =>
  awaited[laneOfKey(answers)] === answers

/** What is left to wait for after the event. */
export const concluded = (awaited: Awaited, event: OrderEvent): Awaited => {
  if (!isAnswer(event) || !concludes(event) || !isAwaited(awaited, event)) return awaited
  const { [laneOfKey(event.answers)]: _answered, ...rest } = awaited
  return rest
}

/**
 * Doing adds a lane's key, withdrawing removes it. A withdrawal from a lane that nothing was awaited in, before the event
 * or since, would do nothing, and is left out. (What the event itself has answered may still be under way: a card form's
 * answer comes beside the effect that opened it.)
 */
export const awaiting = (
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

// One request, one answer: a repeat gets what the first time got, and a handler that failed is called again.
import type { Answered, AnswerMemory } from './answer-memory.ts'

/** Rejects when `answer` does, or when the memory cannot be asked: whether the handler has run is then unknown. */
type AnswerOnce = (
  webhookId: string,
  answer: () => Promise<Answered>,
  onForgotten: (error: unknown) => void,
) => Promise<Answered>

export const answerOnce = (memory: AnswerMemory): AnswerOnce => {
  // The service gives up after 30 s and asks again, while a slow handler may still be at the first request.
  const going = new Map<string, Promise<Answered>>()

  return (webhookId, answer, onForgotten) => {
    const first = async (): Promise<Answered> => {
      const before = await memory.recall(webhookId)
      if (before !== null) return before
      const answered = await answer()
      try {
        await memory.remember(webhookId, answered)
      } catch (error) {
        // What the handler did is done: the service is told, and will not ask again for want of a memory.
        onForgotten(error)
      }
      return answered
    }
    const same = going.get(webhookId)
    if (same !== undefined) return same
    const begun = first().finally(() => going.delete(webhookId))
    going.set(webhookId, begun)
    return begun
  }
}

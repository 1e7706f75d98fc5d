// Makes a receiver idempotent: a repeated request gets the first answer, and a handler that failed is called again.
import type { Answered, AnswerMemory } from './answer-memory.ts'

/** Rejects if `answer` does. Also rejects if the memory cannot be read: it is then unknown whether the handler has run. */
type AnswerOnce = (
  webhookId: string,
  answer: () => Promise<Answered>,
  onForgotten: (error: unknown) => void,
) => Promise<Answered>

export const answerOnce = (memory: AnswerMemory): AnswerOnce => {
  // The service gives up after 30 s and sends again, while a slow handler may still work on the first request.
  const going = new Map<string, Promise<Answered>>()

  return (webhookId, answer, onForgotten) => {
    const first = async (): Promise<Answered> => {
      const before = await memory.recall(webhookId)
      if (before !== null) return before
      const answered = await answer()
      try {
        await memory.remember(webhookId, answered)
      } catch (error) {
        // The handler's work is done, so the service gets the answer. A failed memory is no reason for it to send again.
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

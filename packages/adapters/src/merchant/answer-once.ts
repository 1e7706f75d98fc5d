// Makes a receiver idempotent: a repeated request gets the first answer, and a handler that failed is called again.
import type { IdempotencyStore, ReceiverResponse } from './answer-memory.ts'

/** Rejects if `answer` does. Also rejects if the memory cannot be read: it is then unknown whether the handler has run. */
type RespondOnce = (
  webhookId: string,
  answer: () => Promise<ReceiverResponse>,
  onSaveFailed: (error: unknown) => void,
) => Promise<ReceiverResponse>

export const createRespondOnce = (store: IdempotencyStore): RespondOnce => {
  // The service gives up after 30 s and sends again, while a slow handler may still work on the first request.
  const inProgress = new Map<string, Promise<ReceiverResponse>>()

  return (webhookId, answer, onSaveFailed) => {
    const first = async (): Promise<ReceiverResponse> => {
      const stored = await store.find(webhookId)
      if (stored !== null) return stored
      const response = await answer()
      try {
        await store.save(webhookId, response)
      } catch (error) {
        // The handler's work is done, so the service gets the answer. A failed memory is no reason for it to send again.
        onSaveFailed(error)
      }
      return response
    }
    const running = inProgress.get(webhookId)
    if (running !== undefined) return running
    const started = first().finally(() => inProgress.delete(webhookId))
    inProgress.set(webhookId, started)
    return started
  }
}

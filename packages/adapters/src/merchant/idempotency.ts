// Makes a receiver idempotent: a repeated request gets the first answer, and a handler that failed is called again.
export type ReceiverResponse = {
  readonly status: number
  /** JSON, or empty. */
  readonly body: string
}

/**
 * The port through which a receiver stores its answers, so that a repeated request gets the same answer. Shared by all
 * processes that receive for one merchant. The ids of different services never collide.
 */
export type IdempotencyStore = {
  /** The stored answer to the request with this `Webhook-Id`. `null`: there is none. */
  readonly find: (webhookId: string) => Promise<ReceiverResponse | null>
  /** Stores an answer. Keep it for at least a week, because a request may be repeated for that long. */
  readonly save: (webhookId: string, response: ReceiverResponse) => Promise<void>
}

/** Stores answers in one process, until it ends. Beyond `capacity`, the oldest are dropped. */
export const inMemoryIdempotencyStore = (capacity = 10_000): IdempotencyStore => {
  const responses = new Map<string, ReceiverResponse>()
  return {
    find: async (webhookId) => responses.get(webhookId) ?? null,
    save: async (webhookId, response) => {
      responses.set(webhookId, response)
      const [oldest] = responses.keys()
      if (responses.size > capacity && oldest !== undefined) responses.delete(oldest)
    },
  }
}

export const createRespondOnce = (store: IdempotencyStore) => {
  // The service gives up after 30 s and sends again, while a slow handler may still work on the first request.
  const inProgress = new Map<string, Promise<ReceiverResponse>>()

  /** Rejects if `answer` does. Also rejects if the memory cannot be read: it is then unknown whether the handler has run. */
  return (
    webhookId: string,
    answer: () => Promise<ReceiverResponse>,
    onSaveFailed: (error: unknown) => void,
  ): Promise<ReceiverResponse> => {
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

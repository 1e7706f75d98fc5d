// The port through which a receiver stores its answers, so that a repeated request gets the same answer.

export type ReceiverResponse = {
  readonly status: number
  /** JSON, or empty. */
  readonly body: string
}

/** Shared by all processes that receive for one merchant. The ids of different services never collide. */
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

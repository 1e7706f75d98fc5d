// The port through which a receiver stores its answers, so that a repeated request gets the same answer.

export type Answered = {
  readonly status: number
  /** JSON, or empty. */
  readonly body: string
}

/** Shared by all processes that receive for one merchant. The ids of different services never collide. */
export type AnswerMemory = {
  /** The stored answer to the request with this `Webhook-Id`. `null`: there is none. */
  readonly recall: (webhookId: string) => Promise<Answered | null>
  /** Stores an answer. Keep it for at least a week, because a request may be repeated for that long. */
  readonly remember: (webhookId: string, answered: Answered) => Promise<void>
}

/** Stores answers in one process, until it ends. Beyond `capacity`, the oldest are dropped. */
export const answersInMemory = (capacity = 10_000): AnswerMemory => {
  const answers = new Map<string, Answered>()
  return {
    recall: async (webhookId) => answers.get(webhookId) ?? null,
    remember: async (webhookId, answered) => {
      answers.set(webhookId, answered)
      const [oldest] = answers.keys()
      if (answers.size > capacity && oldest !== undefined) answers.delete(oldest)
    },
  }
}

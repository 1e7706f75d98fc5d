// The port through which a receiver remembers what it has answered, so that a repeat is answered the same.

export type Answered = {
  readonly status: number
  /** JSON, or empty. */
  readonly body: string
}

/** Shared by all processes that receive for one merchant. Ids of different services never meet. */
export type AnswerMemory = {
  /** What was answered to the request with this `Webhook-Id`; `null`: nothing is remembered. */
  readonly recall: (webhookId: string) => Promise<Answered | null>
  /** To be kept for a week at least, as long as one request is repeated. */
  readonly remember: (webhookId: string, answered: Answered) => Promise<void>
}

/** For one process, until it ends; beyond `capacity` the oldest are forgotten. */
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

// Batches reads or writes: those that arrive within one turn of the event loop, or while the last
// statement is under way, are sent as one statement. Only one is sent at a time, because a
// statement costs more than another request within it.

type PendingCall<Q, A> = {
  readonly input: Q
  readonly resolve: (answer: A) => void
  readonly reject: (cause: unknown) => void
}

/** `sendAll` returns an answer for each, in the same order. */
export const batchCalls = <Q, A>(
  sendAll: (all: readonly Q[]) => Promise<readonly A[]>,
  maxBatch: number,
): ((input: Q) => Promise<A>) => {
  let waiting: PendingCall<Q, A>[] = []
  let isSending = false
  let isScheduled = false

  const send = async (batch: readonly PendingCall<Q, A>[]): Promise<void> => {
    isSending = true
    try {
      const answers = await sendAll(batch.map(({ input }) => input))
      for (const [n, { resolve }] of batch.entries()) resolve(answers[n] as A)
    } catch (cause) {
      for (const { reject } of batch) reject(cause)
    } finally {
      isSending = false
      schedule()
    }
  }

  const sendNext = (): void => {
    isScheduled = false
    const batch = waiting.slice(0, maxBatch)
    waiting = waiting.slice(maxBatch)
    void send(batch)
  }

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0 || isSending) return
    isScheduled = true
    setImmediate(sendNext)
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      schedule()
    })
}

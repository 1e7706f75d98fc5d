// Batches reads or writes: those that arrive within one turn of the event loop, or while the last
// statement is under way, are sent as one statement. Only one is sent at a time, because a
// statement costs more than another request within it.
import DataLoader from 'dataloader'

/** `sendAll` returns an answer for each, in the same order. */
export const batchCalls = <Q, A>(
  sendAll: (all: readonly Q[]) => Promise<readonly A[]>,
  maxBatch: number,
): ((input: Q) => Promise<A>) => {
  let last: Promise<unknown> = Promise.resolve()
  const send = (all: readonly Q[]): Promise<readonly A[]> => {
    const answers = sendAll(all)
    last = answers.catch(() => {})
    return answers
  }
  const loader = new DataLoader(send, {
    cache: false,
    maxBatchSize: maxBatch,
    batchScheduleFn: (run) => void last.then(() => setImmediate(run)),
  })
  return (input) => loader.load(input)
}

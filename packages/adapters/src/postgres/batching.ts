// Many questions at the same time are one statement: what is asked while the event loop turns, or while the last answer
// is on its way, is asked together.

type Asking<A> = { readonly resolve: (answer: A | undefined) => void; readonly reject: (cause: unknown) => void }

const AT_ONCE = 2

/** `isKey`: of anything else there is nothing to be found. */
export const batching = <A>(
  isKey: (key: string) => boolean,
  askAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, A>>,
  together: number,
): ((key: string) => Promise<A | undefined>) => {
  let waiting = new Map<string, Asking<A>[]>()
  let inFlight = 0
  let isScheduled = false

  const ask = async (batch: ReadonlyMap<string, readonly Asking<A>[]>): Promise<void> => {
    inFlight += 1
    try {
      const answers = await askAll([...batch.keys()])
      for (const [key, askings] of batch) for (const { resolve } of askings) resolve(answers.get(key))
    } catch (cause) {
      for (const askings of batch.values()) for (const { reject } of askings) reject(cause)
    } finally {
      inFlight -= 1
      schedule()
    }
  }

  const turn = (): void => {
    isScheduled = false
    const all = [...waiting]
    waiting = new Map(all.slice(together))
    void ask(new Map(all.slice(0, together)))
    schedule()
  }

  const schedule = (): void => {
    if (isScheduled || waiting.size === 0 || inFlight >= AT_ONCE) return
    isScheduled = true
    setImmediate(turn)
  }

  return (key) =>
    isKey(key)
      ? new Promise((resolve, reject) => {
          const askings = waiting.get(key)
          if (askings === undefined) waiting.set(key, [{ resolve, reject }])
          else askings.push({ resolve, reject })
          schedule()
        })
      : Promise.resolve(undefined)
}

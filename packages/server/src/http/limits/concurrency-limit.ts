// Limits how much is in progress at once: for each key, and over all keys together. Work that waits for somebody else holds
// connections, threads and memory that all accounts share, so no account may have an unlimited amount of it.

export type ConcurrencyLimitOptions = {
  /** In progress at once for one key. */
  readonly maxConcurrent: number
  /** Waiting for one key, first in, first out. */
  readonly maxWaiting: number
  /** In progress at once over all keys; unlimited unless given. */
  readonly maxTotal?: number
  /** The longest wait, in real milliseconds; unlimited unless given. */
  readonly waitMaxMillis?: number
}

/** Ends a turn. Calling it again has no effect. */
export type Release = () => void

type ConcurrencyLimit = {
  /**
   * Resolves to the function that ends the turn, once the turn begins. Resolves to null if too many are waiting, the total is
   * reached, or it waited for too long.
   *
   * @param onGone registers what is called if nobody needs the turn any more; a turn that has begun then ends
   */
  readonly acquire: (key: string, onGone?: (gone: () => void) => void) => Promise<Release | null>
}

type Waiting = { readonly settle: (release: Release | null) => void }
type Queue = { inProgress: number; waiting: Waiting[] }

export const concurrencyLimit = ({
  maxConcurrent: atOnce,
  maxWaiting: waiting,
  maxTotal: total = Number.POSITIVE_INFINITY,
  waitMaxMillis: patience,
}: ConcurrencyLimitOptions): ConcurrencyLimit => {
  const queues = new Map<string, Queue>()
  let inProgress = 0

  const createRelease = (key: string, queue: Queue): Release => {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      // The place is handed on, so that a newcomer does not overtake those who wait.
      const next = queue.waiting.shift()
      if (next !== undefined) return next.settle(createRelease(key, queue))
      inProgress -= 1
      queue.inProgress -= 1
      if (queue.inProgress === 0) queues.delete(key)
    }
  }

  const wait = (queue: Queue, onGone: (gone: () => void) => void): Promise<Release | null> =>
    new Promise((resolve) => {
      const giveUp = (): void => {
        if (!queue.waiting.includes(entry)) return
        queue.waiting = queue.waiting.filter((other) => other !== entry)
        entry.settle(null)
      }
      const timer = patience === undefined ? undefined : setTimeout(giveUp, patience)
      const entry: Waiting = {
        settle: (release) => {
          clearTimeout(timer)
          resolve(release)
        },
      }
      queue.waiting.push(entry)
      onGone(giveUp)
    })

  return {
    acquire: async (key, onGone = () => {}) => {
      const queue = queues.get(key) ?? { inProgress: 0, waiting: [] }
      if (queue.inProgress >= atOnce && queue.waiting.length >= waiting) return null
      if (queue.inProgress < atOnce && inProgress >= total) return null
      queues.set(key, queue)
      if (queue.inProgress >= atOnce) {
        const release = await wait(queue, onGone)
        if (release !== null) onGone(release)
        return release
      }
      inProgress += 1
      queue.inProgress += 1
      const release = createRelease(key, queue)
      onGone(release)
      return release
    },
  }
}

// A bounded cache of the most recently used entries. When the newer half is full, the older half is dropped.
export type LruCache<K, A> = {
  readonly get: (key: K) => A | undefined
  readonly set: (key: K, value: A) => void
  readonly clear: () => void
}

/** Holds between `half` and twice `half` entries, once it has been given that many. */
export const createLruCache = <K, A>(half: number): LruCache<K, A> => {
  let newer = new Map<K, A>()
  let older = new Map<K, A>()

  const set = (key: K, value: A): void => {
    if (newer.size >= half) {
      older = newer
      newer = new Map()
    }
    newer.set(key, value)
  }

  return {
    get: (key) => {
      const value = newer.get(key)
      if (value !== undefined) return value
      const old = older.get(key)
      if (old !== undefined) set(key, old)
      return old
    },
    set,
    clear: () => {
      newer = new Map()
      older = new Map()
    },
  }
}

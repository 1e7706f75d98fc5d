// A cache that grows with its entries. With `max`, lru-cache reserves memory for all of them: 10 ms
// for the caches of one store, and 2 ms for each transaction of a program.
import { LRUCache } from 'lru-cache'

/** A cache of the `max` entries that were used last. */
export const createBoundedCache = <Key extends string | number, Value extends {}>(max: number) =>
  new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 })

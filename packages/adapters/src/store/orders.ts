// The orders that this process remembers, with their jobs. The version shows whether they are current. A
// checkout takes several steps within minutes, so most steps read nothing.
import type { EffectPayload, Order, OrderJobs } from '@plazo/core/internal'
import { createBoundedCache } from '../sql/bounded-cache.ts'
import type { Base, Opener, OrderRow } from './base.ts'

/** An order as this process last saw it. */
export type StoredOrder<Key> = {
  readonly ref: string
  readonly row: { readonly id: number; readonly version: number; readonly key: Key }
  readonly jobs: OrderJobs
  /** Rejects if it cannot be opened. */
  readonly order: () => Promise<Order>
  /** The payloads that are known, by the jobs' numbers. */
  readonly work: ReadonlyMap<number, EffectPayload>
}

export type Orders<Key> = {
  /** The order as it was. Undefined also if reading first is cheaper. */
  readonly guess: (ref: string) => StoredOrder<Key> | undefined
  /** The committed orders among these. */
  readonly read: (refs: readonly string[]) => Promise<ReadonlyMap<string, StoredOrder<Key>>>
  /** An order was changed by this process. */
  readonly remember: (stored: StoredOrder<Key>) => void
  readonly clear: () => void
}

const ORDERS_MAX = 24_000
// A decision on an outdated order is wasted, which costs more than reading first. So orders are decided
// on unread only while they were current in this share of the last few dozen reads and commits.
const CURRENT_SHARE_MIN = 0.93
const RECENT = 64

export const createOrders = <Value, Key>(
  { readOrders }: Pick<Base<Value, Key>, 'readOrders'>,
  open: Opener<Value, Key>,
  keepsOrders: boolean,
): Orders<Key> => {
  const cache = createBoundedCache<string, StoredOrder<Key>>(ORDERS_MAX)
  let currentShare = 1

  const noteCurrent = (wasCurrent: boolean): void => {
    currentShare += (Number(wasCurrent) - currentShare) / RECENT
  }

  const keep = (stored: StoredOrder<Key>): void => {
    if (keepsOrders) cache.set(stored.ref, stored)
  }

  const toStored = (row: OrderRow<Value, Key>): StoredOrder<Key> => {
    let opened: Promise<Order> | null = null
    const list = row.jobs.map(({ work: _, ...job }) => ({ ...job, message: null }))
    return {
      ref: row.ref,
      row: { id: row.id, version: row.version, key: row.key },
      jobs: { list, count: row.jobCount },
      order: () => {
        opened ??= (async () => open.order(row))()
        return opened
      },
      work: new Map(),
    }
  }

  return {
    guess: (ref) => (currentShare < CURRENT_SHARE_MIN ? undefined : cache.get(ref)),
    read: async (refs) => {
      // Until the answer, the cache may be cleared, or have the order's next version.
      const knownOrders = new Map(refs.map((ref) => [ref, cache.get(ref)]))
      const keys = refs.map((ref) => ({ ref, version: knownOrders.get(ref)?.row.version ?? null }))
      const found = new Map<string, StoredOrder<Key>>()
      for (const row of await readOrders(keys)) {
        const cached = knownOrders.get(row.ref)
        const isCurrent = cached?.row.version === row.version
        if (cached !== undefined) noteCurrent(isCurrent)
        const stored = isCurrent ? cached : 'snapshot' in row ? toStored(row) : undefined
        if (stored === undefined) continue
        found.set(row.ref, stored)
        // A commit may have been faster than this read.
        const newest = cache.get(row.ref)?.row.version ?? -1
        if (!isCurrent && newest < stored.row.version) keep(stored)
      }
      return found
    },
    remember: (stored) => {
      noteCurrent(true)
      keep(stored)
    },
    clear: () => cache.clear(),
  }
}

// Records that end with the process, for tests and embedding.
import type { RecordFilter, Records, StoredRecord } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'

const isFound =
  (filter: RecordFilter) =>
  ({ kind, key, orderRef }: StoredRecord): boolean => {
    if (kind !== (filter.kind ?? kind)) return false
    if ('orderRef' in filter) return orderRef === filter.orderRef
    return filter.key === undefined || `${key}/`.startsWith(`${filter.key}/`)
  }

/**
 * Keeps records until the process ends. They are not encrypted, and no order's erasure deletes
 * them.
 */
export const memoryRecords = (): Records => {
  let all: readonly StoredRecord[] = []
  let lastId = 0
  const names = new Map<string, string>()

  const append = (record: Omit<StoredRecord, 'id'>): number => {
    lastId += 1
    all = [...all, { ...record, id: lastId }]
    return lastId
  }
  const removeKey = (kind: string, key: string): void => {
    all = all.filter((record) => record.kind !== kind || record.key !== key)
  }

  return {
    add: (record) => TE.fromIO(() => append({ ...record, key: null })),
    put: (record) =>
      TE.fromIO(() => {
        removeKey(record.kind, record.key)
        return append(record)
      }),
    list: (filter) => TE.fromIO(() => all.filter(isFound(filter))),
    remove: (kind, key) => TE.fromIO(() => removeKey(kind, key)),
    // WebCrypto hashes only asynchronously. Within one process, a random name for each text does as well.
    hash: (text) => {
      const name =
        names.get(text) ?? (crypto.randomUUID() + crypto.randomUUID()).replaceAll('-', '')
      names.set(text, name)
      return name
    },
  }
}

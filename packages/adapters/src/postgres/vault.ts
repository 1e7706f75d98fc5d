// Caches the decrypted data keys of orders. A query also returns the encrypted data key if this process may not have it cached.

import { type MemoryOfRows, memoryOfRows } from '../rows/memory-of-rows.ts'
import { type DataKey, open, type SealedDataKey, type Sealer, tagOf } from '../sealing/sealer.ts'

/** The columns of `plazo.data_keys`. */
export type KeyColumns = { readonly key_id: string; readonly tag: number; readonly sealed: Buffer }

export type Vault = {
  readonly sealer: Sealer
  /** Makes a new data key. Store it with its order, and call `remember` once it is stored. */
  readonly draw: (orderRef: string) => { readonly dataKey: DataKey; readonly sealed: SealedDataKey }
  readonly remember: (orderRef: string, key: DataKey) => DataKey
  /** The order's data key that was seen last. */
  readonly known: (orderRef: string) => DataKey | undefined
  /** Decrypts and caches the key, or returns it from the cache. */
  readonly keyFrom: (orderRef: string, columns: KeyColumns) => DataKey
  readonly clear: () => void
  /** Throws if it was encrypted under another key. */
  readonly open: (key: DataKey, place: string, blob: Buffer) => string
}

const REMEMBERED_HALF = 16_000

export const postgresVault = (sealer: Sealer): Vault => {
  const remembered: MemoryOfRows<string, DataKey> = memoryOfRows(REMEMBERED_HALF)

  const remember = (orderRef: string, key: DataKey): DataKey => {
    remembered.set(orderRef, key)
    return key
  }

  return {
    sealer,
    draw: sealer.makeKey,
    remember,
    known: (orderRef) => remembered.get(orderRef),
    keyFrom: (orderRef, { key_id, tag, sealed }) => {
      const key = remembered.get(orderRef)
      return key?.tag === tag ? key : remember(orderRef, sealer.openKey(orderRef, { keyId: key_id, tag, sealed }))
    },
    clear: remembered.clear,
    open: (key, place, blob) => {
      if (tagOf(blob) !== key.tag)
        throw new Error('What is sealed was sealed under a data key that is no more, or not at all.')
      return open(key, place, blob)
    },
  }
}

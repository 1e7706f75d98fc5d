// The data keys of orders, opened once and remembered. Whatever is read comes with its sealed data key where this process
// may not know it.

import { type MemoryOfRows, memoryOfRows } from '../rows/memory-of-rows.ts'
import { type DataKey, open, type SealedDataKey, type Sealer, tagOf } from '../sealing/sealer.ts'

/** As the columns of `plazo.data_keys` are read. */
export type KeyColumns = { readonly key_id: string; readonly tag: number; readonly sealed: Buffer }

export type Vault = {
  readonly sealer: Sealer
  /** A new data key, to be kept with its order, and remembered once it is. */
  readonly draw: (orderRef: string) => { readonly dataKey: DataKey; readonly sealed: SealedDataKey }
  readonly remember: (orderRef: string, key: DataKey) => DataKey
  /** The one that was met last. */
  readonly known: (orderRef: string) => DataKey | undefined
  /** Opens the sealed key, or remembers that it has. */
  readonly keyFrom: (orderRef: string, columns: KeyColumns) => DataKey
  readonly clear: () => void
  /** Throws where another key sealed it. */
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

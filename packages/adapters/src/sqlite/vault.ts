// The data keys of the orders in SQLite, decrypted once and cached. All code that encrypts or decrypts gets its keys here.
// Every function that writes runs inside the caller's transaction.

import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { type DataKey, open, type SealedDataKey, type Sealer, tagOf } from '../sealing/sealer.ts'
import { changesOf } from './changes.ts'
import type { Database } from './database.ts'

export type Vault = {
  readonly sealer: Sealer
  /** Creates a data key; `keep` stores it with its order. If it replaces another key, all that this one encrypted is lost. */
  readonly draw: (orderRef: string) => Drawn
  /** The order's current data key. */
  readonly current: (orderId: number) => DataKey
  /** Throws if the key that encrypted the value was destroyed. */
  readonly open: (orderId: number, place: string, blob: Buffer) => string
  /** Clears the caches if any process has destroyed or re-encrypted a key since the last call. */
  readonly heed: () => void
  /** Registers a function that is called when that happens. */
  readonly onForget: (forget: () => void) => void
}

type Drawn = { readonly dataKey: DataKey; readonly keep: (orderId: number) => void }

type KeyRow = SealedDataKey & { readonly orderRef: string }

const REMEMBERED_HALF = 16_000

export const sqliteVault = (db: Database, sealer: Sealer): Vault => {
  // In place: a new key overwrites the row of the destroyed one.
  const insert = db.prepare(`
    insert into data_keys (order_id, key_id, tag, sealed) values (?, ?, ?, ?)
    on conflict do update set key_id = excluded.key_id, tag = excluded.tag, sealed = excluded.sealed`)
  const find = db.prepare<[number], KeyRow>(`
    select k.key_id as keyId, k.tag, k.sealed, o.order_ref as orderRef
    from data_keys k join orders o on o.id = k.order_id where k.order_id = ?`)
  const findTag = db.prepare<[number], number>('select tag from data_keys where order_id = ?').pluck()
  const haveKeysChanged = changesOf(db, 'key')

  const remembered = memoryOfRows<number, DataKey>(REMEMBERED_HALF)
  const listeners: (() => void)[] = [() => remembered.clear()]

  // By row number. If this order's commit fails, another order may get the same number, so readers compare the tag.
  const remember = (orderId: number, key: DataKey): DataKey => {
    remembered.set(orderId, key)
    return key
  }

  const draw: Vault['draw'] = (orderRef) => {
    const { dataKey, sealed } = sealer.makeKey(orderRef)
    const keep = (orderId: number): void => {
      insert.run(orderId, sealed.keyId, sealed.tag, sealed.sealed)
      remember(orderId, dataKey)
    }
    return { dataKey, keep }
  }

  const current: Vault['current'] = (orderId) => {
    const known = remembered.get(orderId)
    if (known !== undefined && known.tag === findTag.get(orderId)) return known
    const row = find.get(orderId)
    if (row === undefined) throw new Error('The order has no data key.')
    return remember(orderId, sealer.openKey(row.orderRef, row))
  }

  const keyOf = (orderId: number, blob: Buffer): DataKey => {
    if (!Buffer.isBuffer(blob)) throw new Error('What should be sealed is not.')
    const tag = tagOf(blob)
    const known = remembered.get(orderId)
    if (known?.tag === tag) return known
    const key = current(orderId)
    if (key.tag !== tag) throw new Error('What is sealed was sealed under a data key that is no more.')
    return key
  }

  return {
    sealer,
    draw,
    current,
    open: (orderId, place, blob) => open(keyOf(orderId, blob), place, blob),
    heed: () => {
      if (haveKeysChanged()) for (const forget of listeners) forget()
    },
    onForget: (forget) => {
      listeners.push(forget)
    },
  }
}

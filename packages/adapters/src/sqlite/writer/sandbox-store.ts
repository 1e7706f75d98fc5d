// Writes the sandbox's own data to the same SQLite database. Every function here runs inside the caller's transaction.
import { aadForCard, aadForRecord, aadForSms, encrypt } from '../../encryption/cipher.ts'
import type { SandboxMessage } from '../../sandbox/sandbox-store.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { loadKeyedHash } from '../encryption/master-keys.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'

type SandboxWriter = Pick<Commands, 'keepCard' | 'moveClock' | 'addRecord' | 'setSetting'> & {
  /** Each message is kept once. */
  readonly addMessages: (messages: readonly SandboxMessage[]) => void
}

export const createSandboxWriter = (db: Database, dataKeys: DataKeys): SandboxWriter => {
  const orderId = db.prepare<[string], number>('select id from orders where order_ref = ?').pluck()
  const addMessage = db.prepare(`
    insert into sandbox_messages (order_id, key, at, message) select ?, ?, ?, ?
    where not exists (select 1 from sandbox_messages where order_id = ? and key = ?)`)
  const keepCard = db.prepare('insert or replace into sandbox_cards (order_id, owner, name, card) values (?, ?, ?, ?)')
  const moveClock = db
    .prepare<[number], number>(
      'insert into sandbox_clock (only, offset) values (1, ?) ' +
        'on conflict (only) do update set offset = offset + excluded.offset returning offset',
    )
    .pluck()
  const addRecord = db.prepare(
    'insert into sandbox_records (order_id, merchant_ref, kind, at, content) values (?, ?, ?, ?, ?)',
  )
  const trimRecords = db.prepare(`
    delete from sandbox_records where merchant_ref = ? and kind = ? and id <= (
      select id from sandbox_records where merchant_ref = ? and kind = ? order by id desc limit 1 offset ?)`)
  const setSetting = db.prepare(
    'insert into sandbox_settings (merchant_ref, name, value) values (?, ?, ?) ' +
      'on conflict (merchant_ref, name) do update set value = excluded.value',
  )
  const removeSetting = db.prepare('delete from sandbox_settings where merchant_ref = ? and name = ?')
  const keyedHash = loadKeyedHash(db, dataKeys.cipher)

  const idOf = (orderRef: string): number => {
    const id = orderId.get(orderRef)
    if (id === undefined) throw new Error(`There is no order ${orderRef}.`)
    return id
  }

  return {
    addMessages: (messages) => {
      const rows = messages.map((message) => ({ ...message, id: idOf(message.orderRef) }))
      const encrypted = rows.map(({ id, key, orderRef: _, at, ...content }) => {
        const text = encrypt(dataKeys.currentKey(id), aadForSms(key), JSON.stringify(content))
        return { id, key, at, text }
      })
      for (const { id, key, at, text } of encrypted) addMessage.run(id, key, at, text, id, key)
    },
    keepCard: ({ orderRef, owner, card }) => {
      const id = idOf(orderRef)
      const name = keyedHash(JSON.stringify([owner, card.token]))
      const encrypted = encrypt(dataKeys.currentKey(id), aadForCard(name), JSON.stringify(card))
      keepCard.run(id, keyedHash(owner), name, encrypted)
    },
    addRecord: ({ record: { merchantRef, orderRef, kind, at, content }, keepLast }) => {
      const id = orderRef === null ? null : idOf(orderRef)
      const stored = id === null ? content : encrypt(dataKeys.currentKey(id), aadForRecord(kind, at), content)
      addRecord.run(id, merchantRef, kind, at, stored)
      if (keepLast !== null) trimRecords.run(merchantRef, kind, merchantRef, kind, keepLast)
    },
    setSetting: ({ merchantRef, name, value }) => {
      if (value === null) removeSetting.run(merchantRef, name)
      else setSetting.run(merchantRef, name, value)
    },
    moveClock: (millis) => moveClock.get(millis) ?? millis,
  }
}

// Keeps the sandbox's own data (SMS, cards, records, settings) in the SQLite file, so that it is
// there after a restart. The writer, which may run in another thread, writes it.
import type { SavedCard } from '@plazo/core/protocol'
import {
  aadForCard,
  aadForRecord,
  aadForSms,
  decrypt,
  encrypt,
  RECORDS_WITHOUT_ORDER,
  recordKey,
} from '../encryption/cipher.ts'
import type { SandboxMessage, SandboxRecord, SandboxStore } from '../sandbox/sandbox-store.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { loadKeyedHash } from './encryption/master-keys.ts'
import type { Database } from './schema/database.ts'
import { valueOrUnavailable } from './unavailable.ts'
import type { Ask, Commands } from './writer/commands.ts'

type MessageRow = Pick<SandboxMessage, 'key' | 'at'> & { readonly message: Buffer }
type MessageContent = Pick<SandboxMessage, 'to' | 'text' | 'code'>
type RecordRow = Omit<SandboxRecord, 'content'> & {
  readonly orderId: number | null
  readonly content: Buffer | string
}
type CardRow = { readonly orderId: number; readonly name: Buffer; readonly card: Buffer }

const RECORDS = `
  select r.id, r.order_id as orderId, o.order_ref as orderRef, r.merchant_ref as merchantRef, r.kind, r.at, r.content
  from sandbox_records r left join orders o on o.id = r.order_id`

const ORDER_ID = 'select id from orders where order_ref = ?'

export const sqliteSandboxStore = (db: Database, ask: Ask, dataKeys: DataKeys): SandboxStore => {
  const orderId = db.prepare<[string], number>(ORDER_ID).pluck()
  const messages = db.prepare<[number], MessageRow>(
    'select key, at, message from sandbox_messages where order_id = ? order by id',
  )
  const cards = db.prepare<[Buffer], CardRow>(
    'select order_id as orderId, name, card from sandbox_cards where owner = ? order by id',
  )
  const recordsOfOrder = db.prepare<[number, number, number], RecordRow>(
    `${RECORDS} where r.order_id = ? and r.id > ? order by r.id limit ?`,
  )
  const recordsOfKind = db.prepare<[string, string, number, number], RecordRow>(
    `${RECORDS} where r.merchant_ref = ? and r.kind = ? and r.id > ? order by r.id limit ?`,
  )
  const settings = db.prepare<
    [number, string],
    { merchantRef: string; name: string; value: string }
  >(
    'select merchant_ref as merchantRef, name, value from sandbox_settings where substr(name, 1, ?) = ? order by 1, 2',
  )
  const offset = db.prepare<[], number>('select offset from sandbox_clock').pluck()
  const keyedHash = loadKeyedHash(db, dataKeys.cipher)

  const keyOfOthers = recordKey(keyedHash(RECORDS_WITHOUT_ORDER))

  const contentOf = (orderId: number | null, aad: string, content: Buffer | string): string => {
    // A version before this one wrote the records that name no order as they are.
    if (typeof content === 'string') return content
    return orderId === null
      ? decrypt(keyOfOthers, aad, content)
      : dataKeys.decrypt(orderId, aad, content)
  }

  const toRecord = ({ orderId, content, ...record }: RecordRow): SandboxRecord => ({
    ...record,
    content: contentOf(orderId, aadForRecord(record.kind, record.at), content),
  })

  const messagesOf = (orderRef: string, id: number): readonly SandboxMessage[] =>
    messages.all(id).map(({ key, at, message }) => {
      const content = JSON.parse(dataKeys.decrypt(id, aadForSms(key), message)) as MessageContent
      return { key, orderRef, at, ...content }
    })

  return {
    addMessage: (message) => ask('addMessage', message),
    messages: (orderRef) =>
      valueOrUnavailable(() => {
        const id = orderId.get(orderRef)
        return id === undefined ? [] : messagesOf(orderRef, id)
      }),
    keepCard: (orderRef, owner, card) => ask('keepCard', { orderRef, owner, card }),
    cards: (owner) =>
      valueOrUnavailable(() =>
        cards
          .all(keyedHash(owner))
          .map(
            ({ orderId, name, card }) =>
              JSON.parse(dataKeys.decrypt(orderId, aadForCard(name), card)) as SavedCard,
          ),
      ),
    clockOffset: () => valueOrUnavailable(() => offset.get() ?? 0),
    moveClock: (millis) => ask('moveClock', millis),
    addRecord: (record, keepLast) => ask('addRecord', { record, keepLast }),
    records: (filter, after, limit) =>
      valueOrUnavailable(() => {
        if ('kind' in filter)
          return recordsOfKind.all(filter.merchantRef, filter.kind, after, limit).map(toRecord)
        const id = orderId.get(filter.orderRef)
        return id === undefined ? [] : recordsOfOrder.all(id, after, limit).map(toRecord)
      }),
    setSetting: (merchantRef, name, value) => ask('setSetting', { merchantRef, name, value }),
    settings: (prefix) => valueOrUnavailable(() => settings.all(prefix.length, prefix)),
  }
}

type SandboxWriter = Pick<
  Commands,
  'addMessage' | 'keepCard' | 'moveClock' | 'addRecord' | 'setSetting'
>

/** Every function runs inside the caller's transaction. */
export const createSandboxWriter = (db: Database, dataKeys: DataKeys): SandboxWriter => {
  const orderId = db.prepare<[string], number>(ORDER_ID).pluck()
  // Each message is kept once.
  const addMessage = db.prepare(`
    insert into sandbox_messages (order_id, key, at, message) select ?, ?, ?, ?
    where not exists (select 1 from sandbox_messages where order_id = ? and key = ?)`)
  const keepCard = db.prepare(
    'insert or replace into sandbox_cards (order_id, owner, name, card) values (?, ?, ?, ?)',
  )
  const moveClock = db
    .prepare<[number], number>(`
      insert into sandbox_clock (only, offset) values (1, ?)
      on conflict (only) do update set offset = offset + excluded.offset returning offset`)
    .pluck()
  const addRecord = db.prepare(
    'insert into sandbox_records (order_id, merchant_ref, kind, at, content) values (?, ?, ?, ?, ?)',
  )
  const trimRecords = db.prepare(`
    delete from sandbox_records where merchant_ref = ? and kind = ? and id <= (
      select id from sandbox_records where merchant_ref = ? and kind = ? order by id desc limit 1 offset ?)`)
  const setSetting = db.prepare(
    'insert or replace into sandbox_settings (merchant_ref, name, value) values (?, ?, ?)',
  )
  const removeSetting = db.prepare(
    'delete from sandbox_settings where merchant_ref = ? and name = ?',
  )
  const keyedHash = loadKeyedHash(db, dataKeys.cipher)
  const keyOfOthers = recordKey(keyedHash(RECORDS_WITHOUT_ORDER))

  const idOf = (orderRef: string): number => {
    const id = orderId.get(orderRef)
    if (id === undefined) throw new Error(`There is no order ${orderRef}.`)
    return id
  }

  return {
    addMessage: ({ key, orderRef, at, ...content }) => {
      const id = idOf(orderRef)
      const encrypted = encrypt(dataKeys.currentKey(id), aadForSms(key), JSON.stringify(content))
      addMessage.run(id, key, at, encrypted, id, key)
    },
    keepCard: ({ orderRef, owner, card }) => {
      const id = idOf(orderRef)
      const name = keyedHash(JSON.stringify([owner, card.token]))
      const encrypted = encrypt(dataKeys.currentKey(id), aadForCard(name), JSON.stringify(card))
      keepCard.run(id, keyedHash(owner), name, encrypted)
    },
    addRecord: ({ record: { merchantRef, orderRef, kind, at, content }, keepLast }) => {
      const id = orderRef === null ? null : idOf(orderRef)
      const key = id === null ? keyOfOthers : dataKeys.currentKey(id)
      addRecord.run(id, merchantRef, kind, at, encrypt(key, aadForRecord(kind, at), content))
      if (keepLast !== undefined) trimRecords.run(merchantRef, kind, merchantRef, kind, keepLast)
    },
    setSetting: ({ merchantRef, name, value }) => {
      if (value === null) removeSetting.run(merchantRef, name)
      else setSetting.run(merchantRef, name, value)
    },
    moveClock: (millis) => moveClock.get(millis) ?? millis,
  }
}

// Keeps the sandbox's own data (SMS, cards, records, settings) in the SQLite file, so that it is there after a restart. The writer
// writes it.
import type { SavedCard } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { aadForCard, aadForRecord, aadForSms } from '../encryption/cipher.ts'
import type { SandboxMessage, SandboxRecord, SandboxStore } from '../sandbox/sandbox-store.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { loadKeyedHash } from './encryption/master-keys.ts'
import type { Database } from './schema/database.ts'
import { runOrUnavailable } from './unavailable.ts'
import type { WriteQueue } from './write-queue.ts'

type MessageRow = Pick<SandboxMessage, 'key' | 'at'> & { readonly message: Buffer }
type MessageContent = Pick<SandboxMessage, 'to' | 'text' | 'code'>
type RecordRow = {
  readonly id: number
  readonly order_id: number | null
  readonly order_ref: string | null
  readonly merchant_ref: string
  readonly kind: string
  readonly at: number
  readonly content: Buffer | string
}
type CardRow = { readonly order_id: number; readonly name: Buffer; readonly card: Buffer }

export const sqliteSandboxStore = (db: Database, queue: WriteQueue, dataKeys: DataKeys): SandboxStore => {
  const orderId = db.prepare<[string], number>('select id from orders where order_ref = ?').pluck()
  const messages = db.prepare<[number], MessageRow>(
    'select key, at, message from sandbox_messages where order_id = ? order by id',
  )
  const cards = db.prepare<[Buffer], CardRow>(
    'select order_id, name, card from sandbox_cards where owner = ? order by id',
  )
  const RECORDS = `
    select r.id, r.order_id, o.order_ref, r.merchant_ref, r.kind, r.at, r.content
    from sandbox_records r left join orders o on o.id = r.order_id`
  const recordsOfOrder = db.prepare<[number, number, number], RecordRow>(
    `${RECORDS} where r.order_id = ? and r.id > ? order by r.id limit ?`,
  )
  const recordsOfKind = db.prepare<[string, string, number, number], RecordRow>(
    `${RECORDS} where r.merchant_ref = ? and r.kind = ? and r.id > ? order by r.id limit ?`,
  )
  const settings = db.prepare<[number, string], { merchantRef: string; name: string; value: string }>(
    'select merchant_ref as merchantRef, name, value from sandbox_settings where substr(name, 1, ?) = ? order by 1, 2',
  )
  const offset = db.prepare<[], number>('select offset from sandbox_clock').pluck()
  const keyedHash = loadKeyedHash(db, dataKeys.cipher)

  const toRecord = ({ id, order_id, order_ref, merchant_ref, kind, at, content }: RecordRow): SandboxRecord => ({
    id,
    merchantRef: merchant_ref,
    orderRef: order_ref,
    kind,
    at,
    content:
      order_id === null || typeof content === 'string'
        ? String(content)
        : dataKeys.decrypt(order_id, aadForRecord(kind, at), content),
  })

  return {
    addMessage: (message) => () => queue.ask({ name: 'addMessage', input: message }),
    messages: (orderRef) =>
      runOrUnavailable(() => {
        const id = orderId.get(orderRef)
        if (id === undefined) return E.right([])
        return E.right(
          messages.all(id).map(({ key, at, message }) => ({
            key,
            orderRef,
            at,
            ...(JSON.parse(dataKeys.decrypt(id, aadForSms(key), message)) as MessageContent),
          })),
        )
      }),
    keepCard: (orderRef, owner, card) => () => queue.ask({ name: 'keepCard', input: { orderRef, owner, card } }),
    cards: (owner) =>
      runOrUnavailable(() =>
        E.right(
          cards
            .all(keyedHash(owner))
            .map(
              ({ order_id, name, card }) => JSON.parse(dataKeys.decrypt(order_id, aadForCard(name), card)) as SavedCard,
            ),
        ),
      ),
    clockOffset: () => runOrUnavailable(() => E.right(offset.get() ?? 0)),
    moveClock: (millis) => () => queue.ask({ name: 'moveClock', input: millis }),
    addRecord: (record, keepLast) => () =>
      queue.ask({ name: 'addRecord', input: { record, keepLast: keepLast ?? null } }),
    records: (filter, after, limit) =>
      runOrUnavailable(() => {
        if ('kind' in filter)
          return E.right(recordsOfKind.all(filter.merchantRef, filter.kind, after, limit).map(toRecord))
        const id = orderId.get(filter.orderRef)
        return E.right(id === undefined ? [] : recordsOfOrder.all(id, after, limit).map(toRecord))
      }),
    setSetting: (merchantRef, name, value) => () =>
      queue.ask({ name: 'setSetting', input: { merchantRef, name, value } }),
    settings: (prefix) => runOrUnavailable(() => E.right(settings.all(prefix.length, prefix))),
  }
}

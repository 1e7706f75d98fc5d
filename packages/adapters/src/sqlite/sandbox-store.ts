// The sandbox's messages, saved cards and clock offset in the same SQLite database. The writer writes them.
import type { SavedCard } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { aadForCard, aadForSms } from '../encryption/cipher.ts'
import type { SandboxMessage, SandboxStore } from '../sandbox/sandbox-store.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { loadKeyedHash } from './encryption/master-keys.ts'
import type { Database } from './schema/database.ts'
import { runOrUnavailable } from './unavailable.ts'
import type { WriteQueue } from './write-queue.ts'

type MessageRow = Pick<SandboxMessage, 'key' | 'at'> & { readonly message: Buffer }
type MessageContent = Pick<SandboxMessage, 'to' | 'text' | 'code'>
type CardRow = { readonly order_id: number; readonly name: Buffer; readonly card: Buffer }

export const sqliteSandboxStore = (db: Database, queue: WriteQueue, dataKeys: DataKeys): SandboxStore => {
  const orderId = db.prepare<[string], number>('select id from orders where order_ref = ?').pluck()
  const messages = db.prepare<[number], MessageRow>(
    'select key, at, message from sandbox_messages where order_id = ? order by id',
  )
  const cards = db.prepare<[Buffer], CardRow>(
    'select order_id, name, card from sandbox_cards where owner = ? order by id',
  )
  const offset = db.prepare<[], number>('select offset from sandbox_clock').pluck()
  const keyedHash = loadKeyedHash(db, dataKeys.cipher)

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
  }
}

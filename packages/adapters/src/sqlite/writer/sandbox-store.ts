// Writes the sandbox's messages, cards and clock offset to the same SQLite database. All of it runs inside the caller's
// transaction.

import { aadForCard, aadForSms, encrypt } from '../../encryption/cipher.ts'
import type { SandboxMessage } from '../../sandbox/sandbox-store.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { loadKeyedHash } from '../encryption/master-keys.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'

type SandboxWriter = Pick<Commands, 'keepCard' | 'moveClock'> & {
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
  const keyedHash = loadKeyedHash(db, dataKeys.cipher)

  const idOf = (orderRef: string): number => {
    const id = orderId.get(orderRef)
    if (id === undefined) throw new Error(`There is no order ${orderRef}.`)
    return id
  }

  return {
    addMessages: (messages) => {
      const found = messages.map((message) => ({ ...message, id: idOf(message.orderRef) }))
      const encrypted = found.map(({ id, key, orderRef: _, at, ...content }) => {
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
    moveClock: (millis) => moveClock.get(millis) ?? millis,
  }
}

// Writes the sandbox's messages, cards and clock offset to the same SQLite database. All of it runs inside the caller's
// transaction.

import { encrypt } from '../../encryption/cipher.ts'
import type { SandboxMessage } from '../../sandbox/sandbox-store.ts'
import { aadForCard, aadForSms } from '../../sql/associated-data.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { loadKeyedHash } from '../encryption/master-keys.ts'
import type { Database } from '../schema/database.ts'
import type { CommandInput, Commands } from './commands.ts'
import type { Phased } from './phases.ts'

type SandboxWriter = {
  readonly addMessage: (message: SandboxMessage) => Phased<void>
  readonly keepCard: (given: CommandInput<'keepCard'>) => () => void
  readonly moveClock: (millis: number) => () => ReturnType<Commands['moveClock']>
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

  function* insertMessage({ key, orderRef, at, ...content }: SandboxMessage): Generator<undefined, void> {
    const id = idOf(orderRef)
    const dataKey = dataKeys.currentKey(id)
    yield
    const encrypted = encrypt(dataKey, aadForSms(key), JSON.stringify(content))
    yield
    addMessage.run(id, key, at, encrypted, id, key)
  }

  return {
    addMessage: (message) => ({ about: message.orderRef, phases: () => insertMessage(message) }),
    keepCard:
      ({ orderRef, owner, card }) =>
      () => {
        const id = idOf(orderRef)
        const name = keyedHash(JSON.stringify([owner, card.token]))
        const encrypted = encrypt(dataKeys.currentKey(id), aadForCard(name), JSON.stringify(card))
        keepCard.run(id, keyedHash(owner), name, encrypted)
      },
    moveClock: (millis) => () => moveClock.get(millis) ?? millis,
  }
}

// Writes the sandbox's messages, cards and clock offset to the same SQLite database. All of it runs inside the caller's
// transaction.

import { placeOfCard, placeOfSms } from '../../rows/places.ts'
import type { SandboxMessage } from '../../sandbox/shelf.ts'
import { seal } from '../../sealing/sealer.ts'
import type { Database } from '../database.ts'
import { lookUpIn } from '../master-keys.ts'
import type { Vault } from '../vault.ts'
import type { Calls, Given } from './calls.ts'
import type { Phased } from './phases.ts'

type ShelfWriting = {
  readonly addMessage: (message: SandboxMessage) => Phased<void>
  readonly keepCard: (given: Given<'keepCard'>) => () => void
  readonly moveClock: (millis: number) => () => ReturnType<Calls['moveClock']>
}

export const shelfWriting = (db: Database, vault: Vault): ShelfWriting => {
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
  const lookUp = lookUpIn(db, vault.sealer)

  const idOf = (orderRef: string): number => {
    const id = orderId.get(orderRef)
    if (id === undefined) throw new Error(`There is no order ${orderRef}.`)
    return id
  }

  function* adding({ key, orderRef, at, ...told }: SandboxMessage): Generator<undefined, void> {
    const id = idOf(orderRef)
    const dataKey = vault.current(id)
    yield
    const sealed = seal(dataKey, placeOfSms(key), JSON.stringify(told))
    yield
    addMessage.run(id, key, at, sealed, id, key)
  }

  return {
    addMessage: (message) => ({ about: message.orderRef, phases: () => adding(message) }),
    keepCard:
      ({ orderRef, owner, card }) =>
      () => {
        const id = idOf(orderRef)
        const name = lookUp(JSON.stringify([owner, card.token]))
        const sealed = seal(vault.current(id), placeOfCard(name), JSON.stringify(card))
        keepCard.run(id, lookUp(owner), name, sealed)
      },
    moveClock: (millis) => () => moveClock.get(millis) ?? millis,
  }
}

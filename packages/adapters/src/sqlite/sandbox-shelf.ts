// The sandbox's shelf in the same SQLite database, written through the same shared commits.

import type { SavedCard, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { placeOfCard, placeOfSms } from '../rows/places.ts'
import type { SandboxMessage, SandboxShelf } from '../sandbox/shelf.ts'
import { seal } from '../sealing/sealer.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Database } from './database.ts'
import { lookUpIn } from './master-keys.ts'
import type { Vault } from './vault.ts'
import type { Calls, Given } from './writer/calls.ts'
import type { Phased } from './writer/phases.ts'

type MessageRow = Pick<SandboxMessage, 'key' | 'at'> & { readonly message: Buffer }
type Told = Pick<SandboxMessage, 'to' | 'text' | 'code'>
type CardRow = { readonly order_id: number; readonly name: Buffer; readonly card: Buffer }

type ShelfWriting = {
  readonly addMessage: (message: SandboxMessage) => Phased<void>
  readonly keepCard: (given: Given<'keepCard'>) => () => void
  readonly moveClock: (millis: number) => () => ReturnType<Calls['moveClock']>
}

/** All of it runs inside a transaction of its caller's. */
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

  return {
    addMessage: ({ key, orderRef, at, ...told }) => ({
      about: orderRef,
      *phases() {
        const id = idOf(orderRef)
        const dataKey = vault.current(id)
        yield
        const sealed = seal(dataKey, placeOfSms(key), JSON.stringify(told))
        yield
        addMessage.run(id, key, at, sealed, id, key)
      },
    }),
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

export const sqliteSandboxShelf = (db: Database, queue: CommitQueue, vault: Vault): SandboxShelf => {
  const orderId = db.prepare<[string], number>('select id from orders where order_ref = ?').pluck()
  const messages = db.prepare<[number], MessageRow>(
    'select key, at, message from sandbox_messages where order_id = ? order by id',
  )
  const cards = db.prepare<[Buffer], CardRow>(
    'select order_id, name, card from sandbox_cards where owner = ? order by id',
  )
  const offset = db.prepare<[], number>('select offset from sandbox_clock').pluck()
  const lookUp = lookUpIn(db, vault.sealer)

  const reading =
    <A>(read: () => A): TaskEither<Unavailable, A> =>
    async () =>
      E.tryCatch(read, (cause) => ({ _tag: 'Unavailable', message: String(cause) }))

  return {
    addMessage: (message) => () => queue.askSoon({ name: 'addMessage', given: message }),
    messages: (orderRef) =>
      reading(() => {
        const id = orderId.get(orderRef)
        if (id === undefined) return []
        return messages.all(id).map(({ key, at, message }) => ({
          key,
          orderRef,
          at,
          ...(JSON.parse(vault.open(id, placeOfSms(key), message)) as Told),
        }))
      }),
    keepCard: (orderRef, owner, card) => () => queue.askSoon({ name: 'keepCard', given: { orderRef, owner, card } }),
    cards: (owner) =>
      reading(() =>
        cards
          .all(lookUp(owner))
          .map(({ order_id, name, card }) => JSON.parse(vault.open(order_id, placeOfCard(name), card)) as SavedCard),
      ),
    clockOffset: () => reading(() => offset.get() ?? 0),
    moveClock: (millis) => () => queue.askSoon({ name: 'moveClock', given: millis }),
  }
}

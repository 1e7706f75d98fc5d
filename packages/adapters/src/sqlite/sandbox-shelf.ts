// The sandbox's messages, saved cards and clock offset in the same SQLite database. The writer writes them.
import type { SavedCard } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { placeOfCard, placeOfSms } from '../rows/places.ts'
import type { SandboxMessage, SandboxShelf } from '../sandbox/shelf.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Database } from './database.ts'
import { lookUpIn } from './master-keys.ts'
import { trying } from './trying.ts'
import type { Vault } from './vault.ts'

type MessageRow = Pick<SandboxMessage, 'key' | 'at'> & { readonly message: Buffer }
type Told = Pick<SandboxMessage, 'to' | 'text' | 'code'>
type CardRow = { readonly order_id: number; readonly name: Buffer; readonly card: Buffer }

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

  return {
    addMessage: (message) => () => queue.askSoon({ name: 'addMessage', given: message }),
    messages: (orderRef) =>
      trying(() => {
        const id = orderId.get(orderRef)
        if (id === undefined) return E.right([])
        return E.right(
          messages.all(id).map(({ key, at, message }) => ({
            key,
            orderRef,
            at,
            ...(JSON.parse(vault.open(id, placeOfSms(key), message)) as Told),
          })),
        )
      }),
    keepCard: (orderRef, owner, card) => () => queue.askSoon({ name: 'keepCard', given: { orderRef, owner, card } }),
    cards: (owner) =>
      trying(() =>
        E.right(
          cards
            .all(lookUp(owner))
            .map(({ order_id, name, card }) => JSON.parse(vault.open(order_id, placeOfCard(name), card)) as SavedCard),
        ),
      ),
    clockOffset: () => trying(() => E.right(offset.get() ?? 0)),
    moveClock: (millis) => () => queue.askSoon({ name: 'moveClock', given: millis }),
  }
}

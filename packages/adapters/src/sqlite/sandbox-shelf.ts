// The sandbox's shelf in the same SQLite database, written through the same shared commits.

import type { SavedCard, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { SandboxMessage, SandboxShelf } from '../sandbox/shelf.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Database } from './database.ts'

type MessageRow = Omit<SandboxMessage, 'orderRef' | 'to'> & { readonly recipient: string }

export const sqliteSandboxShelf = (db: Database, queue: CommitQueue): SandboxShelf => {
  const addMessage = db.prepare(
    'insert into sandbox_messages (key, at, recipient, text, code) values (?, ?, ?, ?, ?) on conflict (key) do nothing',
  )
  // An effect's key begins with its order's reference and a colon.
  const messages = db.prepare<[string, string], MessageRow>(
    `select key, at, recipient, text, code from sandbox_messages where key >= ? || ':' and key < ? || ';' order by id`,
  )
  const keepCard = db.prepare('insert or replace into sandbox_cards (owner, token, card) values (?, ?, ?)')
  const cards = db.prepare<[string], string>('select card from sandbox_cards where owner = ? order by rowid').pluck()
  const offset = db.prepare<[], number>('select offset from sandbox_clock').pluck()
  const moveClock = db.prepare('insert or replace into sandbox_clock (only, offset) values (1, ?)')

  const writing =
    (write: () => unknown): TaskEither<Unavailable, void> =>
    () =>
      queue.runSoon(() => {
        write()
      })

  const reading =
    <A>(read: () => A): TaskEither<Unavailable, A> =>
    async () =>
      E.tryCatch(read, (cause) => ({ _tag: 'Unavailable', message: String(cause) }))

  return {
    addMessage: ({ key, at, to, text, code }) => writing(() => addMessage.run(key, at, to, text, code)),
    messages: (orderRef) =>
      reading(() =>
        messages.all(orderRef, orderRef).map(({ recipient, ...rest }) => ({ ...rest, orderRef, to: recipient })),
      ),
    keepCard: (owner, card) => writing(() => keepCard.run(owner, card.token, JSON.stringify(card))),
    cards: (owner) => reading(() => cards.all(owner).map((card) => JSON.parse(card) as SavedCard)),
    clockOffset: () => reading(() => offset.get() ?? 0),
    moveClock: (next) => writing(() => moveClock.run(next)),
  }
}

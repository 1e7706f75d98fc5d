// Erases a shopper in SQLite. Freed space is overwritten. Then the write-ahead log is emptied,
// because it holds the earlier pages.
import { setTimeout } from 'node:timers/promises'
import { type ShopperErasure, UnavailableError } from '@plazo/core/internal'
import { ask, type Dialect } from '../sql/dialect.ts'
import { createErasure } from '../sql/erasure.ts'
import type { Database } from './schema/database.ts'
import { emptyLog } from './wal/write-ahead-log.ts'

const TRIES = 50
const RETRY_MILLIS = 100

export const sqliteErasure = (db: Database, dialect: Dialect): ShopperErasure =>
  createErasure({
    ...dialect,
    snapshots: ['orders', 'id'],
    linkLine: function* (orderId) {
      yield* ask(
        () => `
          update journal set previous = (select last_line from orders where id = ${orderId})
          where id = (select max(id) from journal)`,
      )
      yield* ask(
        () => `update orders set last_line = (select max(id) from journal) where id = ${orderId}`,
      )
    },
    // A server's read delays this only for a moment. A repeated erasure empties the log too.
    destroyCopies: dialect.orUnavailable(async () => {
      for (let tried = 1; !emptyLog(db); tried++) {
        if (tried === TRIES)
          throw new UnavailableError({
            code: 'file_locked',
            message:
              'The shopper is erased, but the write-ahead log is in use and cannot be emptied now. Run the command again.',
          })
        await setTimeout(RETRY_MILLIS)
      }
    }),
  })

// What the database itself counts, so that each process, and each connection of one, hears of what any other has changed.
import type { Database } from './database.ts'

/** `key`: data keys that were destroyed or sealed anew. `merchant`: they, and what signs for them. */
type Counted = 'key' | 'merchant'

/** Whether there has been a change since this was asked last. */
export const changesOf = (db: Database, of: Counted): (() => boolean) => {
  const count = db.prepare<[], number>(`select count from ${of}_changes`).pluck()
  let seen = count.get()
  return () => {
    const now = count.get()
    const isNew = now !== seen
    seen = now
    return isNew
  }
}

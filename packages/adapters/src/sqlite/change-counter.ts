// The database itself counts changes, so that every connection of every process notices a change made by another one.
import type { Database } from './schema/database.ts'

/** `key`: data keys that were destroyed or re-encrypted. `merchant`: merchants and their signature secrets. */
type ChangeCounter = 'key' | 'merchant'

/** Returns a function that is true if there has been a change since its last call. */
export const createChangeDetector = (db: Database, counter: ChangeCounter): (() => boolean) => {
  const count = db.prepare<[], number>(`select count from ${counter}_changes`).pluck()
  let lastSeen = count.get()
  return () => {
    const now = count.get()
    const isNew = now !== lastSeen
    lastSeen = now
    return isNew
  }
}

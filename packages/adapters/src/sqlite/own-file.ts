// Detects that the database file was deleted, or replaced by a backup, while it was open. SQLite would keep writing to the old
// file, and all of that would be lost when the process ends.
import { statSync } from 'node:fs'
import type { Database } from './database.ts'

type Identity = { readonly dev: number; readonly ino: number }

const identityOf = (path: string): Identity | undefined => statSync(path, { throwIfNoEntry: false })

/** `check` throws if the path now has another file or none. */
export const ownFile = (db: Database): { readonly check: () => void } => {
  const opened = db.memory ? undefined : identityOf(db.name)
  return {
    check: () => {
      if (opened === undefined) return
      const now = identityOf(db.name)
      if (now?.ino !== opened.ino || now.dev !== opened.dev)
        throw new Error('The database’s file was removed or replaced: put it back, or start the server anew.')
    },
  }
}

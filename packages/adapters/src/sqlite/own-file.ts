// Whether a database's file is still the one that was opened. SQLite goes on writing into one that was removed, or replaced by a
// backup, and all of that is gone with the process.
import { statSync } from 'node:fs'
import type { Database } from './database.ts'

type Identity = { readonly dev: number; readonly ino: number }

const identityOf = (path: string): Identity | undefined => statSync(path, { throwIfNoEntry: false })

/** Throws where another file, or none, stands at the path now. */
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

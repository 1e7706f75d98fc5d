// Detects that the database file was deleted, or replaced by a backup, while it was open. SQLite would keep writing to the old
// file, and all of that would be lost when the process ends.
import { statSync } from 'node:fs'
import type { Database } from './database.ts'

type FileIdentity = { readonly dev: number; readonly ino: number }

const readFileIdentity = (path: string): FileIdentity | undefined => statSync(path, { throwIfNoEntry: false })

/** `assertSameFile` throws if the path now has another file or none. */
export const createFileGuard = (db: Database): { readonly assertSameFile: () => void } => {
  const opened = db.memory ? undefined : readFileIdentity(db.name)
  return {
    assertSameFile: () => {
      if (opened === undefined) return
      const now = readFileIdentity(db.name)
      if (now?.ino !== opened.ino || now.dev !== opened.dev)
        throw new Error('The database’s file was removed or replaced: put it back, or start the server anew.')
    },
  }
}

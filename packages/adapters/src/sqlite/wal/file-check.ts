// A server must not serve a file that a crash has damaged. SQLite's check of a large file takes
// minutes and cannot be interrupted, so a process of its own makes it table by table, and is ended
// when its time is over.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { errorMessage } from '@plazo/core/internal'
import Sqlite from 'better-sqlite3'
import { errorCodeOf } from '../../system/error-code.ts'
import { assertOwnLog } from './file-mark.ts'

const PROCESS = 'check-of-a-plazo-database'
const CHECK_MILLIS = 2_000

/**
 * Before a server opens a database: if its log was left, rejects with the damage that is found in
 * time (`code` SQLITE_CORRUPT). A file that cannot be checked is left to the opening.
 */
export const checkAfterUncleanStop = async (
  path: string,
  timeout = CHECK_MILLIS,
): Promise<void> => {
  if (!existsSync(`${path}-wal`)) return
  assertOwnLog(path)
  const damage = await new Promise<string>((resolve) =>
    execFile(
      process.execPath,
      [fileURLToPath(import.meta.url), PROCESS, path],
      { timeout, killSignal: 'SIGKILL' },
      (_, printed) => resolve(printed),
    ),
  )
  if (damage !== '')
    throw Object.assign(new Error(`the file is damaged: ${damage}`), { code: 'SQLITE_CORRUPT' })
}

const findDamage = (path: string): string => {
  const db = new Sqlite(path, { readonly: true, fileMustExist: true })
  const check = db.prepare<[string], string>('select * from pragma_integrity_check(?)').pluck()
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'")
  for (const table of tables.pluck().all()) {
    const [line = 'ok'] = check.all(table)
    if (line !== 'ok') return line
  }
  return ''
}

const [, , name, path = ''] = process.argv
if (name === PROCESS)
  try {
    process.stdout.write(findDamage(path))
  } catch (cause) {
    // Some damage ends the check itself.
    if (errorCodeOf(cause).startsWith('SQLITE_CORRUPT')) process.stdout.write(errorMessage(cause))
  }

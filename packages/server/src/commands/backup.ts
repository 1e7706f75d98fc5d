// `plazo backup`: copies the database into a separate file while the server keeps running.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BackupError, type BackupProgress, backUp, keyFilePath } from '@plazo/adapters/sqlite'
import { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { WithConfig } from './storage.ts'
import { endProgress, refuse, refuseValue, say, showProgress } from './terminal.ts'

const POSTGRES =
  'DATABASE_URL names a PostgreSQL database, which PostgreSQL itself backs up, consistently, while servers go on: ' +
  '`pg_dump --format=custom --file=<file> "$DATABASE_URL"`. It opens with today’s SECRET_KEY alone, which is not in it.'

const failureReason = (error: BackupError, file: string, path: string): string => {
  switch (error._tag) {
    case 'TargetExists':
      return `${file} is there already, and nothing is overwritten: name another file.`
    case 'NoDatabase':
      return `DATABASE_URL names ${path}, and there is no database file: a server in memory cannot be backed up.`
    case 'BackupFailed':
      return `No backup was made: ${error.message}.`
  }
}

// Reports every tenth once. A terminal rewrites one line; a log gets one line for each tenth.
const createProgressReporter = (): ((progress: BackupProgress) => void) => {
  let lastTenth = -1
  return ({ pages, of }) => {
    const tenth = Math.floor((10 * pages) / Math.max(1, of))
    if (tenth === lastTenth) return
    lastTenth = tenth
    showProgress(`${tenth * 10} % of ${of} pages`)
  }
}

const keyNote = (path: string, isKeySet: boolean): string => {
  const keyFile = keyFilePath(path)
  return isKeySet || existsSync(keyFile)
    ? `It opens with today's keys alone, which are not in it: ${isKeySet ? 'SECRET_KEY' : keyFile}.`
    : `It opens with today's keys alone, and they are not here: SECRET_KEY is not set, and ${keyFile} is missing.`
}

const backup =
  (withConfig: WithConfig) =>
  (file: string, { json }: { readonly json?: boolean }): Promise<void> =>
    withConfig(async ({ database, keyring }) => {
      if (database.type === 'postgres') return refuse(POSTGRES)
      if (file === '' || !existsSync(dirname(file)))
        refuseValue('<file>', file, 'the path of a new file in an existing folder')
      const copied = await backUp(database.path, file, createProgressReporter())()
      endProgress()
      if (E.isLeft(copied)) return refuse(failureReason(copied.left, file, database.path))
      if (json) return say(JSON.stringify({ file, bytes: copied.right }))
      say(
        `${file} holds the database, ${copied.right} bytes, and is whole. ${keyNote(database.path, keyring !== null)}`,
      )
    })

export const backupCommand = (withConfig: WithConfig): Command =>
  new Command('backup')
    .description('copies the SQLite database into a new file, consistently, while the server goes on writing')
    .argument('<file>', 'where to; must not be there yet')
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      `
The copy is of the instant the command began, is checked before it gets its name, and needs no other file beside it but
the keys it is sealed under: SECRET_KEY, or in a sandbox without it the database's own .key file. Keep those elsewhere.
To go back to it: stop the server, move the database and its -wal and -shm files away, put the copy in its place, start.
A PostgreSQL database is backed up by pg_dump, or as its host does it.

Examples:
  plazo backup /var/backups/plazo-$(date +%F).db
  DATABASE_URL=sqlite:./data/plazo.db plazo backup ./plazo-backup.db --json`,
    )
    .action(backup(withConfig))

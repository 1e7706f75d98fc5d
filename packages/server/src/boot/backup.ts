// `plazo backup`: copies the database into a separate file while the server keeps running.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BackupProgress, backUp, keyFilePath } from '@plazo/adapters/sqlite'
import { type Json, PlazoCommand, withConfig } from '../command-line/command.ts'
import {
  endProgress,
  refuse,
  refuseValue,
  say,
  showProgress,
  valueOrRefuse,
} from '../command-line/terminal.ts'

const POSTGRES =
  'DATABASE_URL is a PostgreSQL database. Back it up with its own tool, while the servers run: ' +
  '`pg_dump --format=custom --file=<file> "$DATABASE_URL"`. The backup needs today’s SECRET_KEY, which it does not contain.'

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
    ? `The copy needs today's keys, which it does not contain: ${isKeySet ? 'SECRET_KEY' : keyFile}.`
    : `The copy needs today's keys, which are not here: SECRET_KEY is not set, and ${keyFile} is missing.`
}

const backup = withConfig(async ({ database, keyring }, file: string, { json }: Json) => {
  if (database.type === 'postgres') return refuse(POSTGRES)
  if (file === '' || !existsSync(dirname(file)))
    refuseValue('<file>', file, 'the path of a new file in an existing folder')
  const { path } = database
  const bytes = await valueOrRefuse(backUp(path, file, createProgressReporter()), {
    TargetExists: () => `${file} already exists. Name another file.`,
    NoDatabase: () =>
      `DATABASE_URL is ${path}, which is not a database file. A database in memory cannot be backed up.`,
    BackupFailed: ({ message }) => `No backup was made: ${message}.`,
  }).finally(endProgress)
  if (json) return say(JSON.stringify({ file, bytes }))
  say(
    `${file} holds the database (${bytes} bytes) and passed the integrity check. ${keyNote(path, keyring !== null)}`,
  )
})

export const backupCommand = (): PlazoCommand =>
  new PlazoCommand('backup')
    .description('copies the SQLite database into a new file while the server keeps writing')
    .argument('<file>', 'the new file; it must not exist yet')
    .json()
    .notes(`The copy holds the database as it was when the command started. It is checked before it gets its name. To read it you need
its encryption keys: SECRET_KEY, or the database's .key file if SECRET_KEY is not set. Keep the keys elsewhere.
To restore the copy: stop the server, move the database and its -wal and -shm files away, put the copy in their place, and
start the server. Back up a PostgreSQL database with pg_dump, or with the tools of its host.`)
    .examples(
      'plazo backup /var/backups/plazo-$(date +%F).db',
      'DATABASE_URL=sqlite:./data/plazo.db plazo backup ./plazo-backup.db --json',
    )
    .action(backup)

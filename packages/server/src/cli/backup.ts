// `plazo backup`: copies the database into a separate file while the server keeps running.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { backUp, keyFilePath } from '@plazo/adapters/internal/sqlite'
import { type Json, PlazoCommand, withConfig } from './command.ts'
import { refuse, refuseValue, say, valueOrRefuse } from './terminal.ts'

const POSTGRES =
  'DATABASE_URL is a PostgreSQL database. Back it up with its own tool, while the servers run: ' +
  '`pg_dump --format=custom --file=<file> "$DATABASE_URL"`. The backup needs today’s SECRET_KEY, which it does not contain.'

const backup = withConfig(async ({ database, keyring }, file: string, { json }: Json) => {
  if (database.type === 'postgres') return refuse(POSTGRES)
  if (file === '' || !existsSync(dirname(file)))
    refuseValue('<file>', file, 'the path of a new file in an existing folder')
  const { path } = database
  const bytes = await valueOrRefuse(backUp(path, file), (error) => {
    if (error._tag === 'TargetExists') return `${file} already exists. Name another file.`
    return error._tag === 'NoDatabase'
      ? `DATABASE_URL is ${path}, which is not a database file. A database in memory cannot be backed up.`
      : `No backup was made: ${error.message}.`
  })
  if (json) return say(JSON.stringify({ file, bytes }))
  const keys = keyring === null ? keyFilePath(path) : 'SECRET_KEY'
  const missing = keyring !== null || existsSync(keys) ? '' : ', which is missing'
  say(
    `${file} holds the database (${bytes} bytes) and passed the integrity check. It does not contain its keys, which it needs: ${keys}${missing}.`,
  )
})

export const backupCommand = (): PlazoCommand =>
  new PlazoCommand('backup')
    .description('copies the SQLite database into a new file while the server keeps writing')
    .argument('<file>', 'the new file; it must not exist yet')
    .json()
    .notes(`The copy holds the database of one instant. To restore it: stop the server, move the database and its -wal and -shm
files away, put the copy in their place, and start the server.`)
    .examples('plazo backup /var/backups/plazo-$(date +%F).db')
    .action(backup)

// `plazo backup`: copies the database into a separate file while the server keeps running, and puts
// such a copy back while it is stopped.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { backUp, keyFilePath, restoreBackup } from '@plazo/adapters/internal/sqlite'
import { type Json, PlazoCommand, withConfig } from './command.ts'
import { refuse, refuseValue, say, valueOrRefuse } from './terminal.ts'

const POSTGRES =
  'DATABASE_URL is a PostgreSQL database. Back it up with its own tool, while the servers run: ' +
  '`pg_dump --format=custom --file=<file> "$DATABASE_URL"`. The backup needs today’s SECRET_KEY, which it does not contain.'

type Options = Json & { readonly restore?: boolean }

const restore = async (path: string, file: string, { json }: Json): Promise<void> => {
  if (!existsSync(file)) refuseValue('<file>', file, 'an existing backup')
  if (path === ':memory:') refuse('DATABASE_URL is a database in memory. Name a file.')
  const former = await valueOrRefuse(restoreBackup(file, path), (error) =>
    error._tag === 'InUse'
      ? `A server runs on ${path}. Stop it first.`
      : `${path} is unchanged. ${file} cannot be restored: ${error.message}.`,
  )
  if (json) return say(JSON.stringify({ file, database: path, former }))
  const kept = former === null ? '' : ` The former database, with its log, is ${former}.`
  say(`${path} holds the database of ${file}.${kept} Start the server with the keys of the backup.`)
}

const backup = withConfig(async ({ database, keyring }, file: string, options: Options) => {
  const { json } = options
  if (database.type === 'postgres') return refuse(POSTGRES)
  if (options.restore) return restore(database.path, file, options)
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
    .description(
      'copies the SQLite database into a new file while the server keeps writing, or restores it',
    )
    .argument('<file>', 'the new file, which must not exist yet, or the backup to restore')
    .option('--restore', 'replaces the database of a stopped server by the backup, and keeps it')
    .json()
    .notes(`The copy holds the database of one instant. To restore it: stop the server, run this command with --restore, and start the
server.`)
    .examples(
      'plazo backup /var/backups/plazo-$(date +%F).db',
      'plazo backup --restore /var/backups/plazo-2026-01-31.db',
    )
    .action(backup)

// `pnpm rolling-upgrade`: replaces a server under load several times. The exit code is 1 if a
// request was lost.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { startOwnPostgres } from '../../harness/postgres.ts'
import { upgradeServers } from './run.ts'

const HELP = `pnpm rolling-upgrade [--replacements 6] [--clients 20] [--postgres]

Replaces a server by another one on the same database, under clients of each of two kinds: some call the server itself, and others
call it through a proxy that repeats only refused connections and GETs.`

const { values } = parseArgs({
  options: {
    replacements: { type: 'string', default: '6' },
    clients: { type: 'string', default: '20' },
    postgres: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const run = async (env: Readonly<Record<string, string>>): Promise<void> => {
  const options = {
    replacements: Number(values.replacements),
    clients: Number(values.clients),
    env,
  }
  const lost = await upgradeServers(
    options,
    ({ placed, resets, failed, exitCode, stoppedAfterMillis }) =>
      say(
        `${placed} orders placed, ${resets.length} resets, ${failed.length} failed through the proxy; ` +
          `exit code ${exitCode} after ${Math.round(stoppedAfterMillis)} ms`,
      ),
  )
  const reasons = lost.flatMap(({ resets, failed }) => [...resets, ...failed])
  if (reasons.length > 0) {
    say(`Lost: ${[...new Set(reasons)].join('; ')}`)
    process.exitCode = 1
  }
}

if (values.help) say(HELP)
else if (values.postgres) {
  const postgres = await startOwnPostgres()
  await run({ DATABASE_URL: await postgres.database(), SECRET_KEY: newKeyEntry() }).finally(
    postgres.close,
  )
} else {
  const folder = await mkdtemp(join(tmpdir(), 'plazo-upgrade-'))
  await run({ DATABASE_URL: `sqlite:${join(folder, 'plazo.db')}` }).finally(() =>
    rm(folder, { recursive: true }),
  )
}

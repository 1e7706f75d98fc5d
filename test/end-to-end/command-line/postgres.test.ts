// The command line on PostgreSQL, next to servers that must see its changes at once. Contract §7.
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CommandLine, commandLine } from '../../harness/command-line.ts'
import { startOwnPostgres } from '../../harness/postgres.ts'
import { startServer } from '../../harness/running-server.ts'

type Finding = { readonly check: string; readonly ok: boolean; readonly says: string }
type DoctorReport = { readonly ok: boolean; readonly findings: readonly Finding[] }

const SECRET_KEY = newKeyEntry()

const postgres = await startOwnPostgres()
const url = await postgres.database()
const server = await startServer({ env: { DATABASE_URL: url, SECRET_KEY } })
const plazo = commandLine({ DATABASE_URL: url, SECRET_KEY })
afterAll(async () => {
  await server.kill()
  await postgres.close()
})

const runDoctor = async (line: CommandLine): Promise<DoctorReport> =>
  JSON.parse((await line.run('doctor', '--json')).stdout)

const wrongIn = ({ findings }: DoctorReport): readonly string[] =>
  findings.filter(({ ok }) => !ok).map(({ check }) => check)

describe('the command line on PostgreSQL', () => {
  it('refers to PostgreSQL’s own tools for backups', async () => {
    const { code, stderr } = await plazo.run('backup', '/tmp/never-made')
    expect([code, stderr]).toEqual([1, expect.stringContaining('pg_dump')])
    expect(stderr).not.toContain(new URL(url).password)
  })
})

describe('plazo doctor on PostgreSQL', () => {
  it('finds no problem, and reports the database, its version and the number of connections', async () => {
    const report = await runDoctor(plazo)
    expect(wrongIn(report)).toEqual([])
    const says = Object.fromEntries(report.findings.map((finding) => [finding.check, finding.says]))
    expect(says.database).toMatch(
      /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/plazo_\w+ answers: PostgreSQL \d+/,
    )
    expect(says.migrations).toMatch(/^\d+ of \d+ are applied, fingerprint [0-9a-f]{16}$/)
    expect(says.connections).toMatch(/^\d+ of \d+ are in use$/)
    expect(says.dispatcher).toMatch(/^\S+ \d+ \S+ starts jobs, since 20\S+Z$/)
    expect(Object.keys(says)).toEqual(expect.arrayContaining(['durability', 'writes', 'keys']))
  })

  it('warns if commits may be lost by configuration, and if connections run out', async () => {
    const careless = await startOwnPostgres({
      settings: { fsync: 'off', full_page_writes: 'off', max_connections: '14' },
    })
    onTestFinished(careless.close)
    const line = commandLine({ DATABASE_URL: careless.url, SECRET_KEY })
    // It changes nothing in an empty database.
    await runDoctor(line)
    const report = await runDoctor(line)
    expect(wrongIn(report)).toEqual(['migrations', 'durability', 'connections'])
    const printed = JSON.stringify(report)
    expect(printed).toContain('off: fsync, full_page_writes')
    expect(printed).toContain('Another server opens 11.')
  })
})

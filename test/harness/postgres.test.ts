// The crash tests rely on this PostgreSQL: it must keep committed data even if it is killed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { queryPostgres, startOwnPostgres, startPostgres } from './postgres.ts'

const postgres = await startOwnPostgres()
afterAll(() => postgres.close())

describe('the PostgreSQL for tests', () => {
  it('flushes every commit and is version 18', async () => {
    expect(
      await queryPostgres(
        postgres.url,
        `select current_setting('fsync') fsync, current_setting('synchronous_commit') sync`,
      ),
    ).toEqual([{ fsync: 'on', sync: 'on' }])
    expect(
      await queryPostgres(
        postgres.url,
        `select current_setting('server_version_num')::int / 10000 version`,
      ),
    ).toEqual([{ version: 18 }])
  })

  it('gives each caller its own empty database', async () => {
    const [one, other] = await Promise.all([postgres.database(), postgres.database()])
    await queryPostgres(one, 'create table kept (id int)')
    expect(await queryPostgres(other, `select to_regclass('kept') kept`)).toEqual([{ kept: null }])
  })

  it.each(['restart', 'kill'] as const)('keeps what was committed through a %s', async (way) => {
    const url = await postgres.database()
    await queryPostgres(url, 'create table kept (id int)')
    await queryPostgres(url, 'insert into kept values (1)')
    if (way === 'restart') await postgres.restart()
    else await postgres.kill().then(postgres.start)
    expect(await queryPostgres(url, 'select id from kept')).toEqual([{ id: 1 }])
  })

  it('keeps committed data in the given folder for the next server that starts there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plazo-postgres-kept-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const first = await startOwnPostgres({ folder })
    await queryPostgres(first.url, 'create table kept as select 1 as id')
    await first.close()
    const next = await startOwnPostgres({ folder })
    expect(await queryPostgres(next.url, 'select id from kept')).toEqual([{ id: 1 }])
    await next.close()
  })

  it('uses the server in POSTGRES_URL and drops its own databases at the end', async () => {
    const before = process.env.POSTGRES_URL
    process.env.POSTGRES_URL = postgres.url
    try {
      const input = await startPostgres()
      expect(input.url).toBe(postgres.url)
      const url = await input.database()
      await input.close()
      await expect(queryPostgres(url, 'select 1')).rejects.toThrow('does not exist')
    } finally {
      if (before === undefined) delete process.env.POSTGRES_URL
      else process.env.POSTGRES_URL = before
    }
  })
})

// `plazo doctor` finds problems, says what to do, and then exits with 1. Contract §6, Stuck.
import { rmSync, writeFileSync } from 'node:fs'
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  aMerchant,
  finishedAs,
  HOUR,
  NOON,
  openShop,
  type StoreShop,
  unwrap,
} from '@plazo/core/internal/testing'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { commandLine } from '../../harness/command-line.ts'
import { startConnectProxy } from '../../harness/connect-proxy.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { startServer } from '../../harness/running-server.ts'

type Finding = {
  readonly check: string
  readonly ok: boolean
  readonly says: string
  readonly todo: string | null
}

let path: string
beforeEach(() => {
  path = pathOfTest('plazo.db')
})

const runDoctor = async (
  env: Readonly<Record<string, string>> = {},
  ...words: readonly string[]
) => {
  const { code, stdout } = await commandLine({ DATABASE_URL: `sqlite:${path}`, ...env }).run(
    'doctor',
    '--json',
    ...words,
  )
  const { ok, findings } = JSON.parse(stdout) as {
    readonly ok: boolean
    readonly findings: readonly Finding[]
  }
  expect([ok, code]).toEqual(findings.every((each) => each.ok) ? [true, 0] : [false, 1])
  // Every finding with a problem says what to do.
  for (const each of findings) expect(each.todo === null).toBe(each.ok)
  return {
    findings,
    of: (check: string): Finding =>
      findings.find((each) => each.check === check) ?? expect.fail(`${check} is not checked`),
    wrong: findings.filter((each) => !each.ok).map(({ check }) => check),
    says: findings.map(({ says }) => says),
  }
}

/** Places orders one hour ago by the real clock, which the command uses. */
const withShop = async (
  run: (shop: StoreShop, home: ReturnType<typeof openSqlite>) => Promise<void>,
): Promise<void> => {
  const home = openSqlite(path)
  await unwrap(home.merchants.add(aMerchant()))
  const shop = openShop(home.store)
  shop.advance(Date.now() - HOUR - NOON)
  await run(shop, home)
  await home.close()
}

/** An order's first action event, in flight. */
const actionInFlight = async (shop: StoreShop) => {
  const orderRef = await shop.place()
  await shop.submit(orderRef)
  await shop.work()
  return shop.claimOne(orderRef, 'action')
}

describe('plazo doctor', () => {
  it('finds no problem next to a running server', async () => {
    const server = await startServer({ env: { DATABASE_URL: `sqlite:${path}` } })
    const { wrong, of } = await runDoctor()
    expect(wrong).toEqual([])
    expect(of('dispatcher').says).toBe('a server starts jobs')
    const { code, stdout } = await commandLine({ DATABASE_URL: `sqlite:${path}` }).run('doctor')
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok .*No problems found\.\n$/s),
    })
    await server.kill()
    expect((await runDoctor()).of('dispatcher').says).toBe('no server starts jobs')
  })

  it('names stuck jobs, and how to inspect and retry them', async () => {
    let stuck = ''
    await withShop(async (shop) => {
      const entry = await actionInFlight(shop)
      stuck = entry.key
      await unwrap(
        shop.store.complete(entry, {
          result: finishedAs(),
          decide: () => E.left({ message: 'a fault of ours' }),
        }),
      )
    })
    const { wrong, of } = await runDoctor()
    expect(wrong).toEqual(['stuck'])
    expect(of('stuck')).toMatchObject({
      says: expect.stringContaining('a fault of ours'),
      todo: expect.stringContaining(`deliveries retry ${stuck}`),
    })
  })

  it('reports the deliveries given up in the last week, by merchant', async () => {
    await withShop(async (shop) => {
      await shop.completeClaim(await actionInFlight(shop), null, finishedAs('exhausted'))
    })
    const { wrong, of } = await runDoctor()
    expect(wrong).toEqual(['given up'])
    expect(of('given up')).toMatchObject({
      says: expect.stringContaining('demo did not accept 1 webhook'),
      todo: expect.stringContaining('plazo deliveries recover --merchant demo'),
    })
  })

  it('creates no database, and examines none of another version', async () => {
    expect((await runDoctor()).wrong).toEqual(['database'])
    await openSqlite(path).close()
    const db = new Sqlite(path)
    db.pragma('user_version = 99')
    db.close()
    expect((await runDoctor()).of('migrations')).toMatchObject({
      ok: false,
      says: expect.stringMatching(/^the database has version 99/),
    })
  })

  it('recognises a file that is not a database, and another program’s database with what it contains', async () => {
    writeFileSync(path, 'no database at all')
    const todo = 'Name another file. plazo does not change this one.'
    expect((await runDoctor()).of('database')).toMatchObject({ ok: false, todo })
    rmSync(path)
    const db = new Sqlite(path)
    db.exec('create table orders (id integer)')
    db.close()
    const { wrong, of } = await runDoctor()
    expect(wrong).toEqual(['database'])
    const says = expect.stringContaining('another program: it contains the tables orders')
    expect(of('database')).toMatchObject({ says, todo })
  })

  it('recognises a damaged database: an index that lacks a row', async () => {
    await openSqlite(path).close()
    const db = new Sqlite(path)
    const index = (former: string, column: string): void => {
      db.exec(
        `update sqlite_schema set sql = replace(sql, '${former})', '${column})') where name = 'merchants_account'`,
      )
    }
    db.unsafeMode()
    db.pragma('writable_schema = 1')
    index('username', 'about')
    db.pragma('writable_schema = reset')
    db.exec(`insert into merchants (ref, username, about, secrets) values ('a', 'b', '{}', '')`)
    db.pragma('writable_schema = 1')
    index('about', 'username')
    db.close()
    const { wrong, of } = await runDoctor()
    expect(wrong).toEqual(['integrity'])
    expect(of('integrity').says).toContain('merchants_account')
  })

  it('warns in production if BASE_URL is not https, and if nobody knows who lends, but not in a sandbox', async () => {
    const providers = ['SCREENING_URL', 'SMS_URL', 'IDENTITY_URL', 'PAYMENT_URL', 'RISK_URL']
    const production = {
      MODE: 'production',
      SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
      OPERATOR_PASSWORD: 'another',
      ...Object.fromEntries(providers.map((name) => [name, 'https://127.0.0.1:9/'])),
    }
    const { of, says } = await runDoctor(production)
    expect(of('address').says).toContain('http://localhost:3000')
    expect(says).toContainEqual(expect.stringMatching(/^LENDER_NAME is not set, so no shopper/))
    const secure = await runDoctor({ ...production, BASE_URL: 'https://pay.example' })
    expect(secure.wrong).not.toContain('address')
    expect((await runDoctor()).wrong).toEqual(['database'])
  })

  it('checks outgoing connections: the configured providers and the URLs given as options', async () => {
    await openSqlite(path).close()
    const receiver = await startReceiver()
    const gone = await startReceiver()
    await gone.close()
    const there = { SMS_URL: `${receiver.url}/sms` }
    const reached = await runDoctor(there, '--url', `${receiver.url}/events`)
    expect(reached.wrong).toEqual([])
    expect(reached.of('SMS_URL').says).toMatch(
      /can be reached at \S+; later answers come to http:\S+\/providers\/sms$/,
    )
    const { wrong, of } = await runDoctor(
      { SCREENING_URL: gone.url },
      ...['--url', gone.url, '--url', 'http://169.254.169.254/latest', '--url', 'ftp://there/'],
    )
    expect(wrong).toEqual(['SCREENING_URL', '--url', '--url', '--url'])
    expect(of('SCREENING_URL').says).toMatch(/cannot be reached: .*ECONNREFUSED/)
    expect(of('RISK_URL')).toMatchObject({
      ok: true,
      says: 'is not set, so the sandbox answers',
    })
    await receiver.close()
  })

  it('checks the outbound proxy, and names what is called through it', async () => {
    await openSqlite(path).close()
    const { host, connects } = await startConnectProxy()
    const settings = {
      OUTBOUND_PROXY: `http://plazo:secret@${host}`,
      RISK_URL: 'https://risk.example/',
    }
    const urls = ['--url', 'https://shop.example/ipn', '--url', 'https://169.254.169.254/']
    const { wrong, of } = await runDoctor(settings, ...urls)
    expect(of('OUTBOUND_PROXY').says).toBe(`${host} can be reached at 127.0.0.1`)
    expect(of('RISK_URL').says).toMatch(/^risk\.example is called through OUTBOUND_PROXY; later/)
    expect(of('--url').says).toBe('shop.example is called through OUTBOUND_PROXY')
    expect([wrong, connects]).toEqual([['--url'], []])
  })
})

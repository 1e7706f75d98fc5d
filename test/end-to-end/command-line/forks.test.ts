// `plazo fork`, next to a running server on each store. Sandbox rules,
// Forks.
import { newKeyEntry } from '@plazo/adapters/encryption'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandLine, commandLine } from '../../harness/command-line.ts'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import { freshDatabase } from '../../harness/postgres-storage.ts'
import { type RunningServer, startServer } from '../../harness/running-server.ts'
import { type Shop, shopAt } from '../../harness/shop.ts'
import { stagesOf } from '../stages.ts'

const openSqlite = async () => {
  const { path, remove } = temporaryPath('plazo.db')
  return { env: { DATABASE_URL: `sqlite:${path}` }, drop: async () => remove() }
}

const openPostgres = async () => {
  const { url, drop } = await freshDatabase()
  return { env: { DATABASE_URL: url, SECRET_KEY: newKeyEntry() }, drop }
}

let database: { readonly env: Readonly<Record<string, string>>; readonly drop: () => Promise<void> }
let server: RunningServer
let plazo: CommandLine
let shop: Shop

type Fork = { readonly order_ref: string; readonly order_ref_1: string }

const forkOf = async (original: string): Promise<string> =>
  (await plazo.json<Fork>('fork', original, '--at', '1')).order_ref

describe.each([
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
] as const)('on %s', (_, open) => {
  beforeAll(async () => {
    database = await open()
    server = await startServer({ env: database.env })
    plazo = commandLine({ ...database.env, BASE_URL: server.url })
    shop = shopAt(server.url)
  })
  afterAll(async () => {
    await server.kill()
    await database.drop()
  })

  describe('plazo fork', () => {
    it('copies an order by its reference, and the running server goes on with the fork', async () => {
      const original = await stagesOf(shop).settled(
        {},
        { merchant_reference: { order_ref_1: 'cli-1' } },
      )
      const resolved =
        (await shop.history(original)).find(({ event }) => event === 'screening.resolved')?.seq ?? 0
      const forked = await plazo.json<Fork>(
        'fork',
        'cli-1',
        '--at',
        String(resolved - 1),
        '--apply',
        String(resolved),
      )
      expect(forked).toEqual({
        order_ref: expect.any(String),
        order_ref_1: `cli-1-fork-${forked.order_ref.slice(0, 8)}`,
        forked_from: { order_ref: original, event: resolved - 1 },
      })
      await shop.submit(forked.order_ref)
      await shop.advance(1)
      expect((await shop.order(forked.order_ref)).state.checkout).toBe('confirmed')
    })

    it('refuses an event that the order does not have', async () => {
      const original = await shop.place()
      expect(await plazo.run('fork', original, '--at', '7')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'at is 7, but the order has the events 1 to 1.\n',
      })
      expect((await plazo.run('fork', original, '--at', 'x')).stderr).toMatch(
        /^--at must be a whole number/,
      )
      expect((await plazo.run('fork', original, '--at', '1', '--apply', 'x')).stderr).toMatch(
        /^--apply must be numbers/,
      )
    })
  })

  describe('erasing a shopper', () => {
    it('names the forks of their order, which keep the data, and lets nothing be forked any more', async () => {
      const original = await stagesOf(shop).settled()
      await shop.advance(60)
      const forks = [await forkOf(original), await forkOf(original)]
      const { code, stderr } = await plazo.run('orders', 'erase', original, '--yes')
      expect([
        code,
        ...forks.map((fork) => stderr.includes(`Order ${fork} is a fork of it`)),
      ]).toEqual([0, true, true])
      const answer = await shop.asMerchant('POST', `/sandbox/orders/${original}/forks`, { at: 1 })
      expect([answer.status, await answer.json()]).toMatchObject([
        409,
        { detail: expect.stringContaining('erased') },
      ])
      expect((await shop.order(forks[0] ?? '')).state.checkout).toBe('identifying')
    })
  })
})

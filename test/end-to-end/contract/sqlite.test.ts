// The promises that only SQLite makes: data outlives its process, a failing disk fails few steps,
// and processes share a file.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, renameSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { newKeyring } from '@plazo/adapters/encryption'
import { type OpenSqliteOptions, openSqlite } from '@plazo/adapters/sqlite'
import { systemTimers } from '@plazo/adapters/system'
import { unavailable } from '@plazo/core/ports'
import {
  CODE,
  HOUR,
  lanesOf,
  listedDeliveries,
  MINUTE,
  NOON,
  openShop,
} from '@plazo/core/testing/contracts'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createCipher } from '../../../packages/adapters/src/encryption/cipher.ts'
import {
  openWriteQueue,
  type WriteQueueOptions,
} from '../../../packages/adapters/src/sqlite/commit.ts'
import { sqliteDataKeys } from '../../../packages/adapters/src/sqlite/encryption/data-keys.ts'
import {
  type Database,
  openDatabase,
} from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { sqliteStore } from '../../../packages/adapters/src/sqlite/store.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'

const dataKeysOn = (db: Database) => sqliteDataKeys(db, createCipher(newKeyring()))

const aStoreOn = (db: Database, options: WriteQueueOptions = {}, dataKeys = dataKeysOn(db)) =>
  sqliteStore(db, openWriteQueue(db, dataKeys, { realNow: () => 0, ...options }), dataKeys)

const startProcess = (script: string, ...parameters: readonly string[]) => {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, [path, ...parameters])
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, nextLine: async (): Promise<string> => (await lines.next()).value ?? '' }
}

const killProcess = async (child: ChildProcessWithoutNullStreams): Promise<void> => {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

let path: string
beforeEach(() => {
  path = pathOfTest('plazo.db')
})

describe('a SQLite file', () => {
  it('leaves the claims of a living process alone, and reclaims those of a dead one at its next claim', async () => {
    const home = openSqlite(path)
    const shop = openShop(home.store)
    const orderRef = await shop.placeAndSubmit()
    const { child, nextLine } = startProcess('./claiming-process.ts', path, String(NOON))
    expect(await nextLine()).toBe('claimed 2')

    const resent = openSqlite(path)
    expect(await openShop(resent.store).claim()).toEqual([])
    await resent.close()

    await killProcess(child)
    const command = openSqlite(path, { reclaimsDeadClaims: false })
    expect(await openShop(command.store).claim()).toEqual([])
    await command.close()

    const after = openSqlite(path)
    const jobs = await openShop(after.store).claim()
    expect(jobs.map(({ lane, attempt, firstAt }) => [lane, attempt, firstAt])).toEqual([
      ['sms', 2, NOON],
      ['action', 2, NOON],
    ])
    const [action] = await listedDeliveries(after.store, { orderRef })
    expect(action?.attempts.map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'lost'],
      [2, null],
    ])
    await Promise.all([home.close(), after.close()])
  })

  it('keeps leases unchanged if the machine’s clock is set', async () => {
    let [wall, gone] = [NOON, 0]
    const timers = { ...systemTimers, realNow: () => wall, monotonicNow: () => gone }
    const home = openSqlite(path, { timers })
    const shop = openShop(home.store)
    await shop.placeAndSubmit()
    expect(await shop.claim()).toHaveLength(2)
    wall += 2 * MINUTE
    expect(await shop.claim()).toEqual([])
    wall -= 4 * MINUTE
    gone += MINUTE
    expect(await shop.claim()).toHaveLength(2)
    await home.close()
  })

  it('is migrated once if many processes open it at once', async () => {
    const processes = Array.from({ length: 6 }, () => startProcess('./opening-process.ts', path))
    await Promise.all(processes.map(({ nextLine }) => nextLine()))
    for (const { child } of processes) child.stdin.write('go\n')
    expect(await Promise.all(processes.map(({ nextLine }) => nextLine()))).toEqual(
      processes.map(() => 'opened'),
    )
    await Promise.all(processes.map(({ child }) => child.exitCode ?? once(child, 'exit')))
    const home = openSqlite(path)
    await openShop(home.store).place()
    await home.close()
  })

  // The driver's build has a weaker default.
  it('flushes every commit before it becomes visible', () => {
    const db = openDatabase(path)
    expect(db.pragma('synchronous', { simple: true })).toBe(2)
    db.close()
  })
})

describe('a shared commit', () => {
  it.each([
    ['removed', () => {}],
    ['replaced by another', (path: string) => copyFileSync(`${path}.moved`, path)],
  ])(
    'is not written to a file that was %s, which would lose it, until the file is back',
    async (_, replace) => {
      const home = openSqlite(path)
      const shop = openShop(home.store)
      const orderRef = await shop.place()
      renameSync(path, `${path}.moved`)
      replace(path)
      await expect(shop.submit(orderRef)).rejects.toMatchObject({
        message: expect.stringContaining('The database’s file was removed or replaced'),
      })
      expect(await home.store.takesWrites()).toBe(false)
      renameSync(`${path}.moved`, path)
      expect(await home.store.takesWrites()).toBe(true)
      await shop.submit(orderRef)
      await home.close()
    },
  )

  it('that fills the disk fails the step that filled it, and commits the others', async () => {
    const db = openDatabase(path)
    const store = aStoreOn(db)
    const shop = openShop(store)
    const [first, second] = [await shop.place(), await shop.place()]
    const large = shop.preparePlacing()
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 10}`)
    const [, failed] = await Promise.all([
      shop.submit(first),
      store.place(large, 'x'.repeat(200_000))(),
      shop.submit(second),
    ])
    expect(failed).toEqual(unavailable('file_disk_full', 'database or disk is full'))
    expect((await shop.read(first)).state.checkout).toBe('verifyingPhone')
    expect((await shop.read(second)).state.checkout).toBe('verifyingPhone')
    expect(await store.read(large.order.placed.orderRef)()).toMatchObject({
      left: { _tag: 'OrderNotFound' },
    })
    expect(lanesOf(await shop.claim())).toEqual(['action', 'action', 'sms', 'sms'])
    db.close()
  })
})

describe('a writer thread', () => {
  /** A storage in a file, with the number of rows that its own connection has changed. */
  const aHome = (options: OpenSqliteOptions) => {
    const database = openDatabase(path)
    const changes = database.prepare<[], number>('select total_changes()').pluck()
    const home = openSqlite(path, { ...options, database })
    return { ...home, shop: openShop(home.store), changed: () => changes.get() ?? 0 }
  }

  const untilItWrites = (home: ReturnType<typeof aHome>): Promise<void> =>
    vi.waitFor(async () => {
      const changed = home.changed()
      await home.shop.place()
      expect(home.changed()).toBe(changed)
    }, 20_000)

  it('starts once there is enough to write; before that, the main thread writes', async () => {
    const home = aHome({ threadAfterJobs: 3 })
    const before = home.changed()
    const orderRef = await home.shop.place()
    expect(home.changed()).toBeGreaterThan(before)
    await untilItWrites(home)
    await home.shop.submit(orderRef)
    expect((await home.shop.read(orderRef)).state.checkout).toBe('verifyingPhone')
    await home.close()
  })
})

describe('the outbox', () => {
  it('is read only through its indexes, even with many delivered jobs', () => {
    const db = openDatabase(':memory:')
    const prepare = vi.spyOn(db, 'prepare')
    openSqlite(':memory:', { database: db })
    const statements = prepare.mock.calls.flatMap(([sql]) =>
      /outbox|attempts/.test(sql) ? [sql] : [],
    )
    // Except for tables that a statement builds itself: the queue of a claim, the lines of one
    // order's journal.
    const walks = statements.flatMap((sql) =>
      db
        .prepare<[], { detail: string }>(`explain query plan ${sql.replaceAll(/\?|@\w+/g, '1')}`)
        .all()
        .map(({ detail }) => detail)
        .filter((detail) =>
          /^(SCAN|SEARCH) (?!CONSTANT ROW|json_each|\(subquery-\d\)$|(q|l|lines)$)/.test(detail),
        )
        .filter((detail) => !/\(\w+=\?|INDEX outbox_(claimed|stuck|exhausted)$/.test(detail)),
    )
    expect(statements.length).toBeGreaterThan(10)
    // Retention reads a limited number of rows after the last ones it read.
    expect(walks.sort()).toEqual(['SEARCH b USING INTEGER PRIMARY KEY (rowid>?)'])
  })

  it('keeps delivered webhooks, and other jobs only if they are stuck', async () => {
    const db = openDatabase(':memory:')
    const shop = openShop(aStoreOn(db))
    const orderRef = await shop.placeAndSubmit()
    await shop.submit(orderRef, { validation_code: CODE })
    for (const entry of await shop.claim({ at: NOON + HOUR })) await shop.completeClaim(entry, null)
    expect(
      db
        .prepare('select lane, state from outbox where state not in (?, ?)')
        .all('pending', 'queued'),
    ).toEqual([{ lane: 'action', state: 'delivered' }])
    expect(db.prepare('select count(*) from attempts').pluck().get()).toBe(1)
  })
})

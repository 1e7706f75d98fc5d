// The promises that only SQLite makes: data outlives its process, a failing disk fails few steps,
// and processes share a file.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, renameSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openSqlite } from '@plazo/adapters/sqlite'
import { systemTimers } from '@plazo/adapters/system'
import { listedDeliveries, MINUTE, NOON, openShop, SECOND } from '@plazo/core/internal/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../../packages/adapters/src/sqlite/schema/database.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'

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
  it('has its jobs started by one living process, and at once by another if that one dies', async () => {
    let gone = 0
    const timers = { ...systemTimers, monotonicNow: () => gone }
    const home = openSqlite(path, { timers })
    const shop = openShop(home.store)
    const orderRef = await shop.placeAndSubmit()
    const { child, nextLine } = startProcess('./claiming-process.ts', path, String(NOON))
    expect(await nextLine()).toBe('claimed 2')
    expect(await shop.claim()).toEqual([])
    gone += MINUTE
    expect(await shop.claim()).toEqual([])

    await killProcess(child)
    gone += SECOND
    // A readiness check or a scrape comes first, and is not in the way.
    expect(await home.lease?.()).toBeNull()
    const jobs = await shop.claim()
    // The attempts that the process did not end are made again, and nothing tells of them.
    expect(jobs.map(({ lane, attempt }) => [lane, attempt]).toSorted()).toEqual([
      ['action', 1],
      ['sms', 1],
    ])
    const [action] = await listedDeliveries(home.store, { orderRef })
    expect(action?.attempts).toEqual([])
    await home.close()
  })

  it('has another process’ jobs started at once by the process that starts jobs', async () => {
    const [home, other] = [openSqlite(path), openSqlite(path)]
    const shop = openShop(home.store)
    expect(await shop.claim()).toEqual([])
    await openShop(other.store).placeAndSubmit()
    expect(await shop.claim()).toHaveLength(2)
    await Promise.all([home.close(), other.close()])
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
})

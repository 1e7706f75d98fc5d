import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../../harness/command-line.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { runUntilExit, startServer } from '../../harness/running-server.ts'
import { shopAt } from '../../harness/shop.ts'
import { waitUntil } from '../../harness/time.ts'
import { servedShopOnFile } from '../served-shop.ts'

const { path, env, shop, plazo } = await servedShopOnFile({ SECRET_KEY: newKeyEntry() })
const inFolder = (name: string): string => join(dirname(path), name)

/**
 * Places and submits several orders at once until told to stop. Collects those whose submission was
 * answered.
 */
const underLoad = () => {
  const answered: string[] = []
  let isOver = false
  const shoppers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const ref = await shop.place()
      await shop.submit(ref)
      answered.push(ref)
    }
  })
  const stop = async (): Promise<void> => {
    isOver = true
    await Promise.all(shoppers)
  }
  return { answered, stop }
}

describe('plazo backup', () => {
  it('copies a database during writes, completely and as of one instant', async () => {
    const load = underLoad()
    await waitUntil(() => load.answered.length >= 100)
    const before = [...load.answered]
    const file = inFolder('copy.db')
    const printed = await plazo.json<{ readonly file: string; readonly bytes: number }>(
      'backup',
      file,
    )
    await load.stop()
    expect(printed).toEqual({ file, bytes: expect.any(Number) })

    const copy = new Sqlite(file, { readonly: true })
    const count = (sql: string): unknown => copy.prepare(sql).pluck().get()
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    const orderRefs = new Set(copy.prepare('select order_ref from orders').pluck().all())
    expect(before.filter((ref) => !orderRefs.has(ref))).toEqual([])
    // An order, its journal and its jobs are committed together. In a copy of one instant they
    // agree.
    expect(
      count(
        'select count(*) from orders o where revision <> (select seq from journal where id = o.last_line)',
      ),
    ).toBe(0)
    copy.close()

    // A server can continue from the backup with the same keys.
    const restored = await startServer({ env: { ...env, DATABASE_URL: `sqlite:${file}` } })
    const [ref = ''] = before
    expect((await shopAt(restored.url).order(ref)).state.checkout).toBe('verifying_phone')
    expect(await restored.stop()).toBe(0)
  })

  it('overwrites nothing, creates no folder, and says what to do', async () => {
    const file = inFolder('twice.db')
    expect((await plazo.run('backup', file)).stdout).toMatch(
      /^\S+ holds the database \(\d+ bytes\) and passed the integrity check/,
    )
    for (const [target, sentence] of [
      [file, 'Name another file'],
      [inFolder('nowhere/copy.db'), '<file> must be the path of a new file in an existing folder'],
    ] as const)
      expect(await plazo.run('backup', target)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(sentence),
      })
  })
})

describe('plazo backup --restore', () => {
  const placeOrders = (url: string, count: number): Promise<readonly string[]> =>
    Promise.all(Array.from({ length: count }, () => shopAt(url).place()))

  it('goes back to the backup after a kill, and a start refuses the log that a copied file would get', async () => {
    const path = pathOfTest('plazo.db')
    const env = { DATABASE_URL: `sqlite:${path}`, SECRET_KEY: newKeyEntry() }
    const plazo = commandLine(env)
    const file = `${path}.backup`
    const first = await startServer({ env })
    const kept = await placeOrders(first.url, 20)
    await plazo.json('backup', file)
    await placeOrders(first.url, 40)
    expect((await plazo.run('backup', '--restore', file)).stderr).toContain('A server runs on')
    expect(await first.stop()).toBe(0)
    const second = await startServer({ env })
    const late = await placeOrders(second.url, 25)
    await second.kill()

    copyFileSync(path, `${path}.newest`)
    copyFileSync(file, path)
    const refused = `it has the write-ahead log of another file: ${path}-wal and ${path}-shm. If the file is a backup, move that log to another folder`
    const { code, printed } = await runUntilExit(env)
    expect({ code, printed }).toEqual({ code: 1, printed: expect.stringContaining(refused) })
    for (const command of [['doctor'], ['orders', 'list']] as const)
      expect(JSON.stringify(await plazo.run(...command))).toContain(
        'the write-ahead log of another file',
      )

    copyFileSync(`${path}.newest`, path)
    const { former } = await plazo.json<{ readonly former: string }>('backup', '--restore', file)
    await plazo.run('orders', 'list')
    await plazo.run('doctor')
    const third = await startServer({ env })
    for (const ref of kept) await shopAt(third.url).order(ref)
    expect(await third.stop()).toBe(0)

    // Nothing of the former database is lost.
    await plazo.json('backup', '--restore', former)
    const last = await startServer({ env })
    for (const ref of [...kept, ...late]) await shopAt(last.url).order(ref)
    expect(await last.stop()).toBe(0)
  })

  it('restores nothing but a database of plazo, and where there is none too', async () => {
    const target = inFolder('elsewhere.db')
    const elsewhere = commandLine({ ...env, DATABASE_URL: `sqlite:${target}` })
    const [text, empty] = [inFolder('text.db'), inFolder('empty.db')]
    writeFileSync(text, 'no database')
    writeFileSync(empty, '')
    for (const [file, sentence] of [
      [text, 'file is not a database'],
      [empty, 'has no tables of plazo'],
      [inFolder('missing.db'), '<file> must be an existing backup'],
    ] as const)
      expect((await elsewhere.run('backup', '--restore', file)).stderr).toContain(sentence)
    expect(existsSync(target)).toBe(false)
    const file = inFolder('moved.db')
    await plazo.json('backup', file)
    expect(await elsewhere.json('backup', '--restore', file)).toEqual({
      file,
      database: target,
      former: null,
    })
  })
})

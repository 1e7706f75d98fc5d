import { dirname, join } from 'node:path'
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../harness/running-server.ts'
import { shopAt } from '../../harness/shop.ts'
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
  const waitForCount = async (count: number): Promise<void> => {
    while (answered.length < count) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { answered, reaching: waitForCount, stop }
}

describe('plazo backup', () => {
  it('copies a database during writes, completely and as of one instant', async () => {
    const load = underLoad()
    await load.reaching(100)
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

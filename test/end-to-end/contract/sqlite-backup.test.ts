// A backup of a SQLite database must show one instant, no matter what is committed while it is
// made.
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newKeyring } from '@plazo/adapters/encryption'
import { backUp, openSqlite } from '@plazo/adapters/sqlite'
import { openShop, unwrap } from '@plazo/core/testing/contracts'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'

const keyring = newKeyring()
let path: string
let target: string
beforeEach(() => {
  path = pathOfTest('plazo.db')
  target = join(dirname(path), 'backup.db')
})

const inFolder = (): readonly string[] =>
  readdirSync(dirname(path))
    .filter((name) => !/-(wal|shm)$/.test(name))
    .sort()

describe('a backup', () => {
  it('is readable only by its owner from the first byte, and follows no symbolic link', async () => {
    await openSqlite(path, { keyring }).close()
    const part = `${target}.${process.pid}.part`
    const elsewhere = join(dirname(path), 'elsewhere')
    symlinkSync(elsewhere, part)
    const modes: number[] = []
    const result = await backUp(path, target, () => modes.push(statSync(part).mode & 0o777))()
    expect(result).toEqual(E.right(statSync(target).size))
    expect(new Set(modes)).toEqual(new Set([0o600]))
    expect(existsSync(elsewhere)).toBe(false)
    expect(statSync(target).mode & 0o777).toBe(0o600)
  })

  it('shows the instant at which it began, even if another connection commits at each of its steps', async () => {
    const home = openSqlite(path, { keyring })
    const shop = openShop(home.store)
    const before: string[] = []
    for (let placed = 0; placed < 20; placed++) before.push(await shop.place())
    const writer = new Sqlite(path)
    writer.exec('create table ballast (content text)')
    const burden = writer.prepare('insert into ballast values (?)')
    for (let written = 0; written < 60; written++) burden.run('x'.repeat(200_000))
    let steps = 0
    const pages: number[] = []
    const result = await backUp(path, target, ({ pages: copied }) => {
      steps += 1
      pages.push(copied)
      // SQLite starts a copy over if another connection changes its source.
      burden.run('y'.repeat(10_000))
    })()
    expect(result).toEqual(E.right(statSync(target).size))
    expect(steps).toBeGreaterThan(2)
    expect(pages).toEqual(pages.toSorted((a, b) => a - b))
    writer.close()
    await home.close()

    const restored = openSqlite(target, { keyring })
    for (const orderRef of before)
      expect((await unwrap(restored.store.read(orderRef))).placed.orderRef).toBe(orderRef)
    await restored.close()
    const copy = new Sqlite(target)
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(copy.prepare('select count(*) from ballast').pluck().get()).toBe(60)
    copy.close()
  })

  it('leaves a file that appeared at its target meanwhile', async () => {
    await openSqlite(path, { keyring }).close()
    const result = await backUp(path, target, () => writeFileSync(target, 'mine'))()
    expect(result).toEqual(E.left({ _tag: 'TargetExists' }))
    expect(statSync(target).size).toBe(4)
    expect(inFolder()).toEqual(['backup.db', 'plazo.db'])
  })

  it('creates no database if none exists, and leaves nothing behind if it fails', async () => {
    expect(await backUp(path, target, () => {})()).toEqual(E.left({ _tag: 'NoDatabase' }))
    expect(await backUp(':memory:', target, () => {})()).toEqual(E.left({ _tag: 'NoDatabase' }))
    writeFileSync(path, 'no database at all, but long enough to be looked at as one: '.repeat(100))
    expect(await backUp(path, target, () => {})()).toMatchObject({ left: { _tag: 'BackupFailed' } })
    expect(await backUp(path, join(target, 'nowhere'), () => {})()).toMatchObject({
      left: { _tag: 'BackupFailed' },
    })
    expect(inFolder()).toEqual(['plazo.db'])
  })
})

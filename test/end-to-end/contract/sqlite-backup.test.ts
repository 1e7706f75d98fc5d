// A backup of a SQLite database must show one instant, no matter what is committed while it is
// made.
import { existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newKeyring } from '@plazo/adapters/internal/encryption'
import { backUp, openSqlite } from '@plazo/adapters/internal/sqlite'
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
    .filter((name) => !/-(wal|shm|mark)$/.test(name))
    .sort()

describe('a backup', () => {
  it('is readable only by its owner from the first byte, and follows no symbolic link', async () => {
    await openSqlite(path, { keyring }).close()
    const part = `${target}.${process.pid}.part`
    const elsewhere = join(dirname(path), 'elsewhere')
    symlinkSync(elsewhere, part)
    const backup = backUp(path, target)()
    expect([statSync(part).mode & 0o777, statSync(part).size]).toEqual([0o600, 0])
    expect(await backup).toEqual(E.right(statSync(target).size))
    expect(existsSync(elsewhere)).toBe(false)
    expect(statSync(target).mode & 0o777).toBe(0o600)
  })

  it('leaves a file that appeared at its target meanwhile', async () => {
    await openSqlite(path, { keyring }).close()
    const backup = backUp(path, target)()
    writeFileSync(target, 'mine')
    expect(await backup).toEqual(E.left({ _tag: 'TargetExists' }))
    expect(statSync(target).size).toBe(4)
    expect(inFolder()).toEqual(['backup.db', 'plazo.db'])
  })
})

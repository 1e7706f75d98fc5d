// A backup of a SQLite database holds personal data, so only its owner may read it, from its first byte.
import { existsSync, statSync, symlinkSync } from 'node:fs'
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
})

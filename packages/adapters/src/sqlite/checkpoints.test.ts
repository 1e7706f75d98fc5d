import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from './open-sqlite.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plazo-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('what was committed', () => {
  // What the file holds without its log.
  const offsetInFile = (path: string): unknown => {
    const copy = join(folder, 'copy.db')
    copyFileSync(path, copy)
    const db = new Sqlite(copy)
    try {
      return db.prepare('select offset from sandbox_clock').pluck().get()
    } catch {
      return 'The tables are still in the log.'
    } finally {
      db.close()
    }
  }

  it('comes into the file long before the log is full, and closing leaves no log behind', async () => {
    const path = join(folder, 'plazo.db')
    const { shelf, close } = openSqlite(path)
    // More jobs than a checkpoint waits for, and far fewer pages than SQLite does by itself.
    await Promise.all(Array.from({ length: 1_200 }, () => shelf.moveClock(1)()))
    await vi.waitFor(() => expect(offsetInFile(path)).toBeGreaterThan(0), 20_000)
    await close()
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(offsetInFile(path)).toBe(1_200)
  })
})

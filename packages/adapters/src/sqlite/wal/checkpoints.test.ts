import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handTimers } from '../../../../../test/harness/hand-timers.ts'
import { openSqlite } from '../open-storage.ts'
import { openDatabase } from '../schema/database.ts'
import { startCheckpoints } from './checkpoints.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plazo-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a commit', () => {
  // The content of the file without its log.
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

  it('is copied into the file long before the log is full, and closing leaves no log', async () => {
    const path = join(folder, 'plazo.db')
    const { sandboxStore, close } = openSqlite(path)
    // More jobs than one checkpoint needs, and far fewer pages than SQLite's own checkpoint needs.
    await Promise.all(Array.from({ length: 1_200 }, () => sandboxStore.moveClock(1)()))
    await vi.waitFor(() => expect(offsetInFile(path)).toBeGreaterThan(0), 20_000)
    await close()
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(offsetInFile(path)).toBe(1_200)
  })
})

describe('the checkpoint thread', () => {
  const frames = (db: ReturnType<typeof openDatabase>): unknown => {
    const [row] = db.pragma('wal_checkpoint(noop)') as readonly {
      readonly log: number
      readonly checkpointed: number
    }[]
    return row && row.log - row.checkpointed
  }

  it('is started again when needed after it has ended, five seconds later at the earliest', async () => {
    const path = join(folder, 'later.db')
    const { timers, move } = handTimers()
    // The file does not exist yet, so the thread ends at once.
    const checkpoints = startCheckpoints(path, { every: 1, timers })
    checkpoints.onCommit(1)
    await checkpoints.close()
    const db = openDatabase(path)
    db.exec('create table filling (bytes blob)')
    expect(frames(db)).toBeGreaterThan(0)
    move(4_999)
    checkpoints.onCommit(1)
    await checkpoints.close()
    expect(frames(db)).toBeGreaterThan(0)
    move(1)
    checkpoints.onCommit(1)
    await vi.waitFor(() => expect(frames(db)).toBe(0), 20_000)
    await checkpoints.close()
    db.close()
  })

  it('truncates the log after half a minute without a commit', async () => {
    const path = join(folder, 'plazo.db')
    const { timers, move, count } = handTimers()
    const checkpoints = startCheckpoints(path, { every: 1_000_000, timers })
    const db = openDatabase(path)
    db.exec('create table filling (bytes blob)')
    const fill = () => db.exec('insert into filling values (randomblob(400000))')
    fill()
    checkpoints.onCommit(1)
    move(30_000)
    fill()
    checkpoints.onCommit(1)
    move(30_000)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(800_000)
    move(30_000)
    await vi.waitFor(() => expect(statSync(`${path}-wal`).size).toBe(0), 20_000)
    expect(count()).toBe(0)
    await checkpoints.close()
    db.close()
  })
})

import fs, { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aRecord, openShop } from '@plazo/core/internal/testing'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '../open-storage.ts'
import { openDatabase } from '../schema/database.ts'
import { emptyLog, keepLogSmall, ROOMY_BYTES, startCheckpoints } from './write-ahead-log.ts'

/** From now on, every disk has this much free space. */
const setFree = (bytes: number): void => {
  const space = { bsize: 1, blocks: 1, bfree: bytes, bavail: bytes }
  vi.spyOn(fs, 'statfsSync').mockReturnValue({ type: 0, files: 0, ffree: 0, ...space })
  syncBuiltinESMExports()
}

const MIB = 2 ** 20
const PAGE = 4_096

let folder: string
let path: string
beforeEach(() => {
  setFree(Number.POSITIVE_INFINITY)
  folder = mkdtempSync(join(tmpdir(), 'plazo-'))
  path = join(folder, 'plazo.db')
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  rmSync(folder, { recursive: true })
})

const logBytes = (of = path): number => statSync(`${of}-wal`).size

/** A database as a killed server leaves it: all its rows are in the log. */
const killedWith = (rows: number): string => {
  const copy = join(folder, 'left.db')
  const db = openDatabase(path)
  db.exec('create table filling (bytes blob)')
  const insert = db.prepare('insert into filling values (randomblob(4000))')
  for (let n = 0; n < rows; n++) insert.run()
  copyFileSync(path, copy)
  copyFileSync(`${path}-wal`, `${copy}-wal`)
  db.close()
  return copy
}

const rowsIn = (of: string): number | undefined => {
  const db = openDatabase(of)
  try {
    return db.prepare<[], number>('select count(*) from filling').pluck().get()
  } finally {
    db.close()
  }
}

describe('the limit of the write-ahead log', () => {
  it('is 62.5 MiB on a disk with room, a quarter of the free space on a small one, and at least 256 KiB', () => {
    openDatabase(path).close()
    const db = openDatabase(path)
    const limitLogAfterCommit = keepLogSmall(db)
    const limitWith = (bytes: number): unknown => {
      setFree(bytes)
      for (let commits = 0; commits < 16; commits++) limitLogAfterCommit()
      return db.pragma('wal_autocheckpoint', { simple: true })
    }
    expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(16_000)
    expect(limitWith(40 * MIB)).toBe((10 * MIB) / PAGE)
    expect(limitWith(0)).toBe(64)
    expect(limitWith(ROOMY_BYTES)).toBe(16_000)
    db.close()
  })

  it('is never exceeded by a store, for any order of its commits', async () => {
    setFree(4 * MIB)
    const home = openSqlite(path)
    let most = 0
    for (let n = 0; n < 600; n++) {
      await home.records.put({ ...aRecord(), key: 'one' })()
      most = Math.max(most, logBytes())
    }
    expect(most).toBeLessThan(2 * MIB)
    await home.close()
  })

  it('frees the space of a larger log that a killed server left, with the first commits', () => {
    const copy = killedWith(500)
    expect(logBytes(copy)).toBeGreaterThan(2 * MIB)
    setFree(0)
    const db = openDatabase(copy)
    for (let n = 0; n < 3; n++) db.exec("insert into filling values ('one more')")
    expect(logBytes(copy)).toBeLessThan(2 * MIB)
    db.close()
    expect(rowsIn(copy)).toBe(503)
  })
})

describe('the log', () => {
  it('is emptied for an erasure without waiting for a reader that keeps the log', () => {
    const db = openDatabase(path)
    const reader = openDatabase(path)
    reader.exec('begin; select * from merchants')
    db.exec('create table filling (bytes blob)')
    expect(emptyLog(db)).toBe(false)
    expect(db.pragma('busy_timeout', { simple: true })).toBe(5_000)
    reader.close()
    db.close()
  })
})

describe('a commit', () => {
  // The content of the file without its log.
  const ordersInFile = (path: string): unknown => {
    const copy = join(folder, 'copy.db')
    copyFileSync(path, copy)
    const db = new Sqlite(copy)
    try {
      return db.prepare('select count(*) from orders').pluck().get()
    } catch {
      return 'The tables are still in the log.'
    } finally {
      db.close()
    }
  }

  it('is copied into the file long before the log is full, and closing leaves no log', async () => {
    const { store, close } = openSqlite(path)
    const shop = openShop(store)
    // More jobs than one checkpoint needs, and far fewer pages than SQLite's own checkpoint needs.
    await Promise.all(Array.from({ length: 1_200 }, () => shop.place()))
    await vi.waitFor(() => expect(ordersInFile(path)).toBeGreaterThan(0), 20_000)
    await close()
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(ordersInFile(path)).toBe(1_200)
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

  it('is started again when needed after it has ended', async () => {
    const path = join(folder, 'later.db')
    // The file does not exist yet, so the thread ends at once.
    const checkpoints = startCheckpoints(path, 1)
    checkpoints.onCommit(1)
    await checkpoints.close()
    const db = openDatabase(path)
    db.exec('create table filling (bytes blob)')
    expect(frames(db)).toBeGreaterThan(0)
    checkpoints.onCommit(1)
    await vi.waitFor(() => expect(frames(db)).toBe(0), 20_000)
    await checkpoints.close()
    db.close()
  })
})

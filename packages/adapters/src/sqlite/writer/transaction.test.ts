import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../schema/database.ts'
import type { WriterJob } from './phases.ts'
import { createTransactionRunner, type Outcome } from './transaction.ts'

/** Commits to a table of names, with a clock that jobs move forward. */
const aTable = (onCommit?: (moment: 'before' | 'after') => void, makeRoom?: () => boolean) => {
  const db = openDatabase(':memory:')
  db.exec('create table names (name text unique)')
  const insert = db.prepare('insert into names values (?)')
  const all = db.prepare<[], string>('select name from names order by rowid').pluck()
  const log: string[] = []
  let now = 0
  const commit = createTransactionRunner(db, {
    patience: 12,
    monotonicNow: () => now,
    onReset: () => log.push('nothing'),
    onCommit,
    ...(makeRoom && { makeRoom }),
  })
  const named =
    (name: string, takes = 0): WriterJob<string> =>
    () => {
      insert.run(name)
      now += takes
      return name
    }
  return { commit, named, names: () => all.all(), log, db }
}

const failed = (message: string, isPermanent: boolean): Outcome => E.left({ message, isPermanent })

describe('a commit', () => {
  it('holds all its jobs', () => {
    const { commit, named, names, log } = aTable()
    expect(commit([named('a'), named('b')])).toEqual([E.right('a'), E.right('b')])
    expect([names(), log]).toEqual([['a', 'b'], ['nothing']])
  })

  it('lets a job that fails fail alone', () => {
    const { commit, named, names, log } = aTable()
    const broken: WriterJob<never> = () => {
      throw new Error('a fault')
    }
    expect(commit([named('a'), broken, named('a'), named('b')])).toEqual([
      E.right('a'),
      failed('a fault', true),
      failed('UNIQUE constraint failed: names.name', true),
      E.right('b'),
    ])
    expect(names()).toEqual(['a', 'b'])
    // All jobs were rolled back once and then run again one by one.
    expect(log).toEqual(['nothing', 'nothing'])
  })

  it('has no turn for what it has no time for, and does some of it whatever the time', () => {
    const { commit, named, names } = aTable()
    expect(commit([named('a', 13), named('b'), named('c')])).toEqual([E.right('a')])
    expect(names()).toEqual(['a'])
  })

  it('that cannot be made tells all so, and leaves nothing: that is nobody’s fault', () => {
    let isBroken = true
    const { commit, named, names, log } = aTable((moment) => {
      if (isBroken && moment === 'before') throw new Error('the disk is gone')
    })
    expect(commit([named('a'), named('b')])).toEqual([
      failed('the disk is gone', false),
      failed('the disk is gone', false),
    ])
    expect([names(), log]).toEqual([[], ['nothing', 'nothing']])
    isBroken = false
    expect(commit([named('a')])).toEqual([E.right('a')])
  })
})

describe('a commit that finds no space', () => {
  /** The disk is full until room is made; that succeeds `times` times. */
  const onAFullDisk = (times: number) => {
    let isFull = true
    let asked = 0
    const table = aTable(
      (moment) => {
        if (isFull && moment === 'before') throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
      },
      () => {
        asked += 1
        isFull = asked > times
        return !isFull
      },
    )
    return { ...table, asked: () => asked }
  }

  it('is made again once room was made', () => {
    const { commit, named, names, asked } = onAFullDisk(1)
    expect(commit([named('a'), named('b')])).toEqual([E.right('a'), E.right('b')])
    expect([names(), asked()]).toEqual([['a', 'b'], 1])
  })

  it('fails where none can be made, and everybody may come again', () => {
    const { commit, named, names, asked } = onAFullDisk(0)
    const full = failed('database or disk is full', false)
    expect(commit([named('a'), named('b')])).toEqual([full, full])
    expect([names(), asked()]).toEqual([[], 1])
  })

  it('asks for no room where a job has another fault', () => {
    let asked = 0
    const { commit, named } = aTable(undefined, () => {
      asked += 1
      return true
    })
    expect(commit([named('a'), named('a')])).toHaveLength(2)
    expect(asked).toBe(0)
  })

  it('makes room where one job finds none: it alone fails, and the others have had no turn', () => {
    let asked = 0
    const { commit, named, db } = aTable(undefined, () => {
      asked += 1
      return true
    })
    const large: WriterJob<void> = () => {
      db.exec(`insert into names values (zeroblob(100000))`)
    }
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 1}`)
    expect(commit([named('a'), large])).toEqual([null, failed('database or disk is full', false)])
    expect(asked).toBe(1)
  })
})

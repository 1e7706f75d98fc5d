import { type UnavailableCode, unavailable } from '@plazo/core/ports'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../sql/group-commit.ts'
import { openDatabase } from '../schema/database.ts'
import type { Command } from './commands.ts'
import { createTransactionRunner } from './writer.ts'

/** Inserts a name. `takes`: milliseconds. `bytes`: also inserts so many. */
type Insert = { readonly name: string; readonly takes?: number; readonly bytes?: number }

/**
 * A command that runs alone. The handlers of `aTable` insert the name instead of what the command
 * stands for.
 */
const insertOf = (name: string, rest: Partial<Insert> = {}): Command =>
  ({ name: 'probe', input: { name, ...rest } }) as unknown as Command

/** A command about an order. */
const about = (orderRef: string, name = orderRef, rest: Partial<Insert> = {}): Command =>
  ({ name: 'step', input: { orderRef, name, ...rest } }) as unknown as Command

const BROKEN = 'broken'

/** Throws whenever it runs. */
const broken = insertOf(BROKEN)

/** Commits to a table of names, with a clock that commands move forward. */
const aTable = (onCommit?: (moment: 'before' | 'after') => void) => {
  const db = openDatabase(':memory:')
  db.exec('create table names (name text unique)')
  const insert = db.prepare('insert into names values (?)')
  const all = db.prepare<[], string>('select name from names order by rowid').pluck()
  const waves: string[] = []
  let begun = 0
  let now = 0
  const run = ({ name, takes = 0, bytes = 0 }: Insert): string => {
    if (name === BROKEN) throw new Error('a fault')
    insert.run(name)
    if (bytes > 0) insert.run('x'.repeat(bytes))
    now += takes
    return `inserted ${name}`
  }
  const write = createTransactionRunner(
    db,
    {
      begin: () => {
        begun += 1
      },
      runWave: (wave) => {
        const inserts = wave.map(({ input }) => input as unknown as Insert)
        waves.push(inserts.map(({ name }) => name).join(' '))
        return inserts.map(run)
      },
      finish: () => 7,
    },
    { patience: 12, monotonicNow: () => now, onCommit },
  )
  const commit = (commands: readonly Command[]): readonly Outcome<unknown>[] =>
    write({ commands, now: 0 }).outcomes
  return {
    write,
    commit,
    names: () => all.all(),
    waves,
    begun: () => begun,
    db,
  }
}

const failure = (message: string, code: UnavailableCode): Outcome<unknown> =>
  unavailable(code, message)

const insertOutcomes = (...names: readonly string[]): readonly Outcome<unknown>[] =>
  names.map((name) => E.right(`inserted ${name}`))

describe('a commit', () => {
  it('contains all its commands', () => {
    const { write, names, begun } = aTable()
    expect(write({ commands: [insertOf('a'), insertOf('b')], now: 0 })).toEqual({
      outcomes: insertOutcomes('a', 'b'),
      nextDueAt: 7,
    })
    expect([names(), begun()]).toEqual([['a', 'b'], 1])
  })

  it('lets a command that fails fail alone', () => {
    const { commit, names, begun } = aTable()
    expect(commit([insertOf('a'), broken, insertOf('a'), insertOf('b')])).toEqual([
      ...insertOutcomes('a'),
      failure('a fault', 'internal_error'),
      failure('UNIQUE constraint failed: names.name', 'internal_error'),
      ...insertOutcomes('b'),
    ])
    expect(names()).toEqual(['a', 'b'])
    // All commands were rolled back once and then ran again one by one.
    expect(begun()).toBe(2)
  })

  it('starts no command after its time is over, but always runs the first', () => {
    const { commit, names } = aTable()
    expect(commit([insertOf('a', { takes: 13 }), insertOf('b'), insertOf('c')])).toEqual(
      insertOutcomes('a'),
    )
    expect(names()).toEqual(['a'])
  })

  it('fails all its commands if it cannot be made, and none of them permanently', () => {
    let isBroken = true
    const { write, commit, names } = aTable((moment) => {
      if (isBroken && moment === 'before') throw new Error('the disk is gone')
    })
    const gone = failure('the disk is gone', 'unknown')
    expect(write({ commands: [insertOf('a'), insertOf('b')], now: 0 })).toEqual({
      outcomes: [gone, gone],
      nextDueAt: Number.POSITIVE_INFINITY,
    })
    expect(names()).toEqual([])
    isBroken = false
    expect(commit([insertOf('a')])).toEqual(insertOutcomes('a'))
  })
})

describe('the waves of a commit', () => {
  it('contain commands about different orders, and end before another one about the same order', () => {
    const { commit, waves } = aTable()
    expect(commit([about('a'), about('b'), about('a', 'a2'), about('c')])).toEqual(
      insertOutcomes('a', 'b', 'a2', 'c'),
    )
    expect(waves).toEqual(['a b', 'a2 c'])
  })

  it('contain nothing else if a command may read or write any order', () => {
    const { commit, waves } = aTable()
    commit([insertOf('x'), about('a'), about('b'), insertOf('y'), insertOf('z'), about('c')])
    expect(waves).toEqual(['x', 'a b', 'y', 'z', 'c'])
  })

  it('are short enough that the time is checked in between', () => {
    const { commit, waves } = aTable()
    const outcomes = commit(
      Array.from({ length: 100 }, (_, n) => about(`${n}`, `${n}`, { takes: 1 })),
    )
    expect(outcomes).toHaveLength(48)
    expect(waves).toHaveLength(1)
  })

  it('run again command by command if one command fails', () => {
    const { commit, names, waves } = aTable()
    expect(commit([about('a'), about('b', BROKEN), about('c')])).toEqual([
      ...insertOutcomes('a'),
      failure('a fault', 'internal_error'),
      ...insertOutcomes('c'),
    ])
    expect(waves).toEqual(['a broken c', 'a', 'broken', 'c'])
    expect(names()).toEqual(['a', 'c'])
  })
})

describe('a commit that finds no space', () => {
  it('fails, and all its commands may be tried again', () => {
    const { commit, names } = aTable((moment) => {
      if (moment === 'before')
        throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
    })
    const full = failure('database or disk is full', 'file_disk_full')
    expect(commit([insertOf('a'), insertOf('b')])).toEqual([full, full])
    expect(names()).toEqual([])
  })

  it('fails for the command that finds none, and the others have not run', () => {
    const { commit, db } = aTable()
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 1}`)
    expect(commit([insertOf('a'), insertOf('b', { bytes: 100_000 })])).toEqual([
      null,
      failure('database or disk is full', 'file_disk_full'),
    ])
  })
})

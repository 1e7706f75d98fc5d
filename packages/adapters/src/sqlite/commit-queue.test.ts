import type { Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Timers } from '../system/timers.ts'
import { commitQueue } from './commit-queue.ts'
import { openDatabase } from './database.ts'

/** Time that stands still until it is moved, and an event loop that turns when it is told to. */
const standingTimers = () => {
  let now = 1_000
  let turns: (() => void)[] = []
  let later: { readonly at: number; readonly call: () => void }[] = []
  const timers: Timers = {
    realNow: () => now,
    monotonicNow: () => now,
    soon: (call) => void turns.push(call),
    after: (millis, call) => {
      const pending = { at: now + millis, call }
      later.push(pending)
      return {
        cancel: () => {
          later = later.filter((other) => other !== pending)
        },
      }
    },
  }
  const turn = (): void => {
    const due = turns
    turns = []
    for (const call of due) call()
  }
  const move = (millis: number): void => {
    now += millis
    const due = later.filter(({ at }) => at <= now)
    later = later.filter(({ at }) => at > now)
    for (const { call } of due) call()
  }
  return { timers, turn, move, isIdle: () => turns.length === 0 }
}

/** A queue on a table of names, what its commits held, and what its callers were answered. */
const aQueue = (capacity?: number) => {
  const { timers, turn, move, isIdle } = standingTimers()
  const db = openDatabase(':memory:')
  db.exec('create table names (name text)')
  const insert = db.prepare('insert into names values (?)')
  const names = db.prepare<[], string>('select name from names').pluck()
  const commits: (readonly string[])[] = []
  const answers: Record<string, E.Either<Unavailable, string>> = {}
  let seen = 0
  const queue = commitQueue(db, {
    timers,
    ...(capacity !== undefined && { capacity }),
    committed: () => {
      const all = names.all()
      commits.push(all.slice(seen))
      seen = all.length
    },
  })
  const named =
    (name: string, work = () => {}) =>
    () => {
      insert.run(name)
      work()
      return name
    }
  const keeping =
    (run: typeof queue.run) =>
    (name: string, work?: () => void): void =>
      void run(named(name, work)).then((answer) => {
        answers[name] = answer
      })
  return {
    request: keeping(queue.run),
    background: keeping(queue.runSoon),
    close: queue.close,
    commits,
    answers,
    move,
    turn,
    /** Turns the event loop until nothing is to be done at once. */
    settled: async (): Promise<void> => {
      while (!isIdle()) turn()
      await Promise.resolve()
    },
    /** Turns it until a commit is made. */
    committed: (): readonly string[] => {
      for (const before = commits.length; commits.length === before && !isIdle(); ) turn()
      return commits.at(-1) ?? []
    },
  }
}

const named = (what: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${what} ${index + 1}`)

describe('the commit queue', () => {
  it('commits background work at once where no request has come of late', async () => {
    const { background, settled, commits } = aQueue()
    background('a code')
    await settled()
    expect(commits).toEqual([['a code']])
  })

  it('has background work wait a moment for a request whose commit it shares, and no longer', async () => {
    const { request, background, settled, move, commits } = aQueue()
    request('first')
    await settled()
    background('a code')
    await settled()
    expect(commits).toEqual([['first']])
    request('second')
    await settled()
    background('another')
    move(4)
    await settled()
    expect(commits).toEqual([['first'], ['a code', 'second'], ['another']])
  })

  it('commits a burst of requests before the background work that came before them, and answers all', async () => {
    const { request, background, settled, committed, commits, answers } = aQueue()
    const [codes, shoppers, more] = [named('code', 3), named('shopper', 30), named('more', 20)]
    for (const code of codes) background(code)
    for (const shopper of shoppers) request(shopper)
    expect(committed()).toEqual(shoppers)
    for (const shopper of more) request(shopper)
    await settled()
    expect(commits).toEqual([shoppers, more, codes])
    expect(answers).toEqual(Object.fromEntries([...shoppers, ...more, ...codes].map((name) => [name, E.right(name)])))
  })

  it('takes background work along once a burst has lasted for a second', () => {
    const { request, background, committed, move } = aQueue()
    background('a code')
    for (let millis = 0; millis <= 1_000; millis += 50) {
      for (const shopper of named(`shopper ${millis}`, 20)) request(shopper)
      expect(committed()).not.toContain('a code')
      move(50)
    }
    for (const shopper of named('shopper', 20)) request(shopper)
    expect(committed()).toEqual(['a code', ...named('shopper', 20)])
  })

  it('lets a job that fails fail alone, whoever waits for it', async () => {
    const { request, background, settled, commits, answers } = aQueue()
    background('a code')
    background('broken', () => {
      throw new Error('a fault')
    })
    request('shopper')
    await settled()
    expect(commits).toEqual([['a code', 'shopper']])
    expect(answers).toEqual({
      shopper: E.right('shopper'),
      'a code': E.right('a code'),
      broken: E.left({ _tag: 'Unavailable', message: 'a fault' }),
    })
  })

  it('leaves to the next commit what it has no time for, in the order it came', async () => {
    const { request, background, settled, move, commits } = aQueue()
    const shoppers = named('shopper', 15)
    background('a code')
    request('slow', () => move(13))
    for (const shopper of shoppers) request(shopper)
    await settled()
    expect(commits).toEqual([['slow'], ['a code', ...shoppers]])
  })

  it('counts requests and background work together, and refuses what is too much', async () => {
    const { request, background, settled, answers, commits } = aQueue(2)
    background('a code')
    request('shopper')
    request('one too many')
    await settled()
    expect(commits).toEqual([['a code', 'shopper']])
    expect(answers['one too many']).toEqual(E.left({ _tag: 'Unavailable', message: '2 steps are waiting already.' }))
  })

  it('commits both before it closes, and takes nothing after', async () => {
    const { request, background, close, committed, turn, answers, commits } = aQueue()
    for (const shopper of named('shopper', 20)) request(shopper)
    background('a code')
    let isClosed = false
    const closing = close().then(() => {
      isClosed = true
    })
    expect(committed()).toEqual(named('shopper', 20))
    request('too late')
    await Promise.resolve()
    expect(isClosed).toBe(false)
    while (!isClosed) {
      turn()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    await closing
    expect(commits).toEqual([named('shopper', 20), ['a code']])
    expect(answers['too late']).toEqual(E.left({ _tag: 'Unavailable', message: 'The store is closed.' }))
  })
})

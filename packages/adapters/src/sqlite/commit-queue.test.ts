import { type Unavailable, unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { CLOSED, CONTENDED, queueFull } from '../sql/batch-reads.ts'
import type { Timers } from '../system/timers.ts'
import { commitQueue, type QueuedWrite } from './commit-queue.ts'
import type { Batch, Command, Write } from './writer/commands.ts'
import type { Outcome } from './writer/transaction.ts'

/** A clock and an event loop that move only when the test moves them. */
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

// Such a call holds little more than a token, which serves as the name of a job here.
const callOf = (name: string): Command => ({ name: 'release', input: { token: name, as: 'started' } })

const nameOf = (call: Command): string => (call.name === 'release' ? call.input.token : call.name)

const inTurn =
  (outcomeOf: (name: string) => Outcome = () => E.right('done')) =>
  ({ commands }: Batch) => ({
    outcomes: commands.map((call) => outcomeOf(nameOf(call))),
    nextDueAt: Number.POSITIVE_INFINITY,
  })

type Settings = {
  readonly capacity?: number
  readonly outcomeOf?: (name: string) => Outcome
  /** Each commit is answered when the test calls `answerOne`. */
  readonly isBeside?: boolean
}

/** A queue in front of a writer that records names, with the contents of the commits and the callers' answers. */
const aQueue = ({ capacity, outcomeOf, isBeside = false }: Settings = {}) => {
  const { timers, turn, move, isIdle } = standingTimers()
  const commits: (readonly string[])[] = []
  const planned: string[] = []
  const answers: Record<string, E.Either<Unavailable, string>> = {}
  let unanswered: (() => void)[] = []
  const write: Write = (batch, _, answer) => {
    commits.push(batch.commands.map(nameOf))
    const answering = () => answer(inTurn(outcomeOf)(batch))
    if (isBeside) unanswered.push(answering)
    else answering()
  }
  const queue = commitQueue(write, { timers, ...(capacity !== undefined && { capacity }) })
  const named = (name: string, about: string | null): QueuedWrite => ({
    about,
    plan: () => {
      planned.push(name)
      if (name === 'broken') throw new Error('a fault')
      if (name !== 'read') return callOf(name)
      answers[name] = E.right('read')
      return null
    },
    came: (result) => {
      if (result === 'changed') return false
      answers[name] = E.right(String(result))
      return true
    },
    failed: (error) => {
      answers[name] = E.left(error)
    },
  })
  return {
    request: (name: string, about: string | null = null) => queue.run(named(name, about)),
    background: (name: string, about: string | null = null) => queue.runSoon(named(name, about)),
    close: queue.close,
    commits,
    planned,
    answers,
    move,
    turn,
    /** Turns the event loop until it has nothing left to do now. */
    settled: async (): Promise<void> => {
      while (!isIdle()) turn()
      await Promise.resolve()
    },
    /** Turns the event loop until a commit is made. */
    committed: (): readonly string[] => {
      for (const before = commits.length; commits.length === before && !isIdle(); ) turn()
      return commits.at(-1) ?? []
    },
    /** Answers the oldest commit in flight. */
    answerOne: (): void => {
      const [first, ...rest] = unanswered
      unanswered = rest
      first?.()
    },
  }
}

const named = (what: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${what} ${index + 1}`)

describe('the commit queue', () => {
  it('commits background work immediately if no request came recently', async () => {
    const { background, settled, commits } = aQueue()
    background('a code')
    await settled()
    expect(commits).toEqual([['a code']])
  })

  it('delays background work briefly to share a request’s commit', async () => {
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

  it('commits a burst of requests before earlier background work, and answers all', async () => {
    const { request, background, settled, committed, commits, answers } = aQueue()
    const [codes, shoppers, more] = [named('code', 3), named('shopper', 30), named('more', 20)]
    for (const code of codes) background(code)
    for (const shopper of shoppers) request(shopper)
    expect(committed()).toEqual(shoppers)
    for (const shopper of more) request(shopper)
    await settled()
    expect(commits).toEqual([shoppers, more, codes])
    expect(answers).toEqual(Object.fromEntries([...shoppers, ...more, ...codes].map((name) => [name, E.right('done')])))
  })

  it('includes background work after a burst has lasted for a second', () => {
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

  it('fails only the jobs that cannot be planned or written', async () => {
    const outcomeOf = (name: string): Outcome =>
      name === 'contradicting' ? unavailable('internal_error', 'a conflict') : E.right('done')
    const { request, background, settled, commits, answers } = aQueue({ outcomeOf })
    background('a code')
    background('broken')
    request('contradicting')
    request('shopper')
    await settled()
    expect(commits).toEqual([['a code', 'contradicting', 'shopper']])
    expect(answers).toEqual({
      shopper: E.right('done'),
      'a code': E.right('done'),
      broken: unavailable('internal_error', 'a fault'),
      contradicting: unavailable('internal_error', 'a conflict'),
    })
  })

  it('commits nothing for a job that writes nothing', async () => {
    const { request, settled, commits, answers } = aQueue()
    request('read')
    await settled()
    expect([commits, answers]).toEqual([[], { read: E.right('read') }])
  })

  it('continues in the next commit with what did not fit, in order', async () => {
    let turns = 2
    const outcomeOf = (): Outcome => (turns-- > 0 ? E.right('done') : null)
    const { request, committed, settled, commits } = aQueue({ outcomeOf })
    const shoppers = named('shopper', 5)
    for (const shopper of shoppers) request(shopper)
    committed()
    request('late')
    turns = 9
    await settled()
    expect(commits).toEqual([shoppers, [...shoppers.slice(2), 'late']])
  })

  it('decides again if the order has changed, but not without end', async () => {
    let moves = 2
    const { request, settled, commits, planned, answers } = aQueue({
      outcomeOf: (name) => E.right(name === 'unlucky' || moves-- > 0 ? 'changed' : 'done'),
    })
    request('shopper', 'A')
    await settled()
    expect([commits, planned, answers]).toEqual([
      [['shopper'], ['shopper'], ['shopper']],
      ['shopper', 'shopper', 'shopper'],
      { shopper: E.right('done') },
    ])
    request('unlucky', 'B')
    await settled()
    expect(answers.unlucky).toEqual(E.left(CONTENDED))
  })

  it('runs one job of an order at a time, in the order of arrival', async () => {
    const { request, background, settled, commits, planned } = aQueue()
    request('A 1', 'A')
    request('B 1', 'B')
    background('A 2', 'A')
    request('A 3', 'A')
    await settled()
    expect(commits).toEqual([['A 1', 'B 1'], ['A 2'], ['A 3']])
    expect(planned).toEqual(['A 1', 'B 1', 'A 2', 'A 3'])
  })

  it('refuses a request if the maximum of requests and background jobs is waiting', async () => {
    const { request, background, settled, answers, commits } = aQueue({ capacity: 2 })
    background('a code')
    request('shopper')
    request('one too many')
    await settled()
    expect(commits).toEqual([['a code', 'shopper']])
    expect(answers['one too many']).toEqual(E.left(queueFull(2)))
  })

  it('never refuses background work because the queue is full', async () => {
    const { request, background, settled, answers, commits } = aQueue({ capacity: 2 })
    request('shopper')
    for (const completion of named('completion', 20)) background(completion)
    request('one too many')
    await settled()
    expect(commits).toEqual([['shopper', ...named('completion', 20)]])
    expect(answers['one too many']).toEqual(E.left(queueFull(21)))
  })

  it('commits both before it closes, and then accepts nothing', async () => {
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
    expect(answers['too late']).toEqual(E.left(CLOSED))
  })
})

describe('the commit queue with a writer thread', () => {
  it('answers only after the commit, and has at most two in flight', async () => {
    const { request, settled, answerOne, commits, answers } = aQueue({ isBeside: true })
    for (const name of ['first', 'second', 'third']) {
      request(name)
      await settled()
    }
    expect([commits, answers]).toEqual([[['first'], ['second']], {}])
    answerOne()
    await settled()
    expect([commits, answers]).toEqual([[['first'], ['second'], ['third']], { first: E.right('done') }])
  })

  it('decides on an order after its previous write, and on other orders meanwhile', async () => {
    const { request, settled, answerOne, commits, planned } = aQueue({ isBeside: true })
    request('A 1', 'A')
    await settled()
    request('A 2', 'A')
    request('B 1', 'B')
    await settled()
    expect([commits, planned]).toEqual([
      [['A 1'], ['B 1']],
      ['A 1', 'B 1'],
    ])
    answerOne()
    await settled()
    expect(commits).toEqual([['A 1'], ['B 1'], ['A 2']])
  })

  it('gives a parallel commit a third of the waiting jobs, so that neither takes long', async () => {
    const { request, settled, commits } = aQueue({ isBeside: true })
    for (const name of named('first', 30)) request(name)
    await settled()
    for (const name of named('second', 30)) request(name)
    await settled()
    expect(commits.map(({ length }) => length)).toEqual([30, 20])
  })

  it('waits for commits in flight before it closes', async () => {
    const { request, settled, close, answerOne, turn, answers } = aQueue({ isBeside: true })
    request('shopper')
    await settled()
    let isClosed = false
    void close().then(() => {
      isClosed = true
    })
    for (let turns = 0; turns < 5; turns++) {
      turn()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    expect([isClosed, answers]).toEqual([false, {}])
    answerOne()
    turn()
    await new Promise<void>((resolve) => setImmediate(resolve))
    expect([isClosed, answers]).toEqual([true, { shopper: E.right('done') }])
  })
})

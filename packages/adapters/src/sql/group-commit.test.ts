import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type Encoded, groupCommit, type Job, type Outcome } from './group-commit.ts'

type Settings = {
  readonly capacity?: number
  readonly maxInFlight?: 1 | 2
  readonly maxBatch?: number
  /** By default, all is committed. */
  readonly outcomeOf?: (name: string) => Outcome<string>
  /** Each batch is answered when the test calls `answerOne`. */
  readonly isSlow?: boolean
}

/** A queue in front of a database that records names, with the steps that it made, the batches, and the answers. */
const aQueue = ({ outcomeOf, isSlow = false, ...options }: Settings = {}) => {
  const batches: (readonly string[])[] = []
  const steps: string[] = []
  const answers: Record<string, E.Either<string, string>> = {}
  let unanswered: (() => void)[] = []
  let turns: (() => void)[] = []
  let now = 0
  const sleeping: { readonly at: number; readonly call: () => void }[] = []

  const queue = groupCommit<string, string, string>({
    ...options,
    encode: (name) => {
      steps.push(`encode ${name}`)
      if (name === 'not encodable') throw new Error('a value')
      return name
    },
    commit: (writes: readonly Encoded<string, string>[]) => {
      const names = writes.map(({ rows }) => rows)
      batches.push(names)
      steps.push(`write ${names.join(', ')}`)
      const commitOutcome = () => ({
        outcomes: names.map((name) => outcomeOf?.(name) ?? ({ type: 'committed', result: 'done' } as const)),
        nextDueAt: names.length,
      })
      if (names.includes('breaking')) return Promise.reject(new Error('the connection broke'))
      return isSlow
        ? new Promise((resolve) => unanswered.push(() => resolve(commitOutcome())))
        : Promise.resolve(commitOutcome())
    },
    notify: (nextDueAt) => void steps.push(`notify ${nextDueAt}`),
    timers: {
      soon: (run) => void turns.push(run),
      monotonicNow: () => now,
      after: (millis, call) => {
        const timer = { at: now + millis, call }
        sleeping.push(timer)
        return { cancel: () => void sleeping.splice(sleeping.indexOf(timer), 1) }
      },
    },
  })

  const jobNamed = (name: string, key: string | null): Job<string, string, string> => ({
    key,
    plan: (conflicts) => {
      steps.push(['decide', name, ...conflicts].join(' '))
      if (name === 'not decidable') throw new Error('a fault')
      return name === 'read only'
        ? { type: 'done', answer: 'read' }
        : { type: 'write', write: name, answer: (result) => result }
    },
  })

  // A queue that is closing keeps turning until it is empty.
  const runAllTurns = async (): Promise<void> => {
    for (let turn = 0; turn < 200 && (turn === 0 || turns.length > 0); turn++) {
      const thisTurn = turns
      turns = []
      for (const run of thisTurn) run()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  return {
    run: (name: string, key: string | null = null, isBackground = false): void =>
      void queue.run(jobNamed(name, key), { isBackground }).then((answer) => {
        answers[name] = E.mapLeft(({ code }: { code: string }): string => code)(answer)
      }),
    close: queue.close,
    settled: runAllTurns,
    /** Answers the oldest batch in flight. */
    answerOne: async (): Promise<void> => {
      const [first, ...rest] = unanswered
      unanswered = rest
      first?.()
      await runAllTurns()
    },
    /** Moves the time, and calls the timers that have expired. */
    pass: async (millis: number): Promise<void> => {
      now += millis
      for (const timer of sleeping.filter(({ at }) => at <= now)) {
        sleeping.splice(sleeping.indexOf(timer), 1)
        timer.call()
      }
      await runAllTurns()
    },
    /** One turn of the event loop. */
    turn: (): void => {
      const thisTurn = turns
      turns = []
      for (const run of thisTurn) run()
    },
    batches,
    steps,
    answers,
  }
}

const numberedNames = (what: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${what} ${index + 1}`)

describe('group commit', () => {
  it('decides on all jobs of a batch, encodes all, writes all, and then notifies the workers', async () => {
    const { run, settled, steps, answers } = aQueue()
    run('A')
    run('B')
    await settled()
    expect(steps).toEqual(['decide A', 'decide B', 'encode A', 'encode B', 'write A, B', 'notify 2'])
    expect(answers).toEqual({ A: E.right('done'), B: E.right('done') })
  })

  it('waits while each turn of the event loop brings more jobs, so that they share a commit', async () => {
    const { run, turn, settled, batches } = aQueue()
    for (const name of numberedNames('job', 3)) {
      run(name)
      turn()
    }
    await settled()
    expect(batches).toEqual([numberedNames('job', 3)])
  })

  describe('in a burst of requests', () => {
    const burst = numberedNames('request', 16)

    it('lets requests go before background work, for a second', async () => {
      const { run, pass, settled, answerOne, batches } = aQueue({ isSlow: true })
      run('background', null, true)
      for (const name of burst) run(name)
      await settled()
      expect(batches).toEqual([burst])
      await pass(1_000)
      for (const name of numberedNames('later', 16)) run(name)
      await answerOne()
      expect(batches.at(-1)).toEqual(['background', ...numberedNames('later', 16)])
    })

    it('leaves half of each later commit to requests, however much background work waits', async () => {
      const { run, pass, settled, answerOne, batches } = aQueue({ isSlow: true, maxBatch: 32 })
      for (const name of numberedNames('background', 40)) run(name, null, true)
      for (const name of burst) run(name)
      await settled()
      await pass(1_000)
      for (const name of numberedNames('later', 16)) run(name)
      await answerOne()
      expect(batches).toEqual([burst, [...numberedNames('background', 16), ...numberedNames('later', 16)]])
    })

    it('keeps background work out of a second commit while the requests wait for the first', async () => {
      const { run, settled, batches } = aQueue({ isSlow: true, maxInFlight: 2 })
      for (const name of burst) run(name)
      await settled()
      run('background', null, true)
      await settled()
      expect(batches).toEqual([burst])
    })

    it('expects the next requests within milliseconds, and then runs background work', async () => {
      const { run, pass, settled, batches } = aQueue()
      run('background', null, true)
      for (const name of burst) run(name)
      await settled()
      run('next')
      await settled()
      expect(batches).toEqual([burst, ['next']])
      await pass(9)
      expect(batches.length).toBe(2)
      await pass(1)
      expect(batches.at(-1)).toEqual(['background'])
    })

    it('runs background work if the requests wait for it', async () => {
      const { run, settled, batches } = aQueue()
      run('completion', 'order', true)
      for (const name of burst) run(name, 'order')
      await settled()
      expect(batches.slice(0, 2)).toEqual([['completion'], ['request 1']])
      expect(batches.length).toBe(17)
    })

    it('is over once no request has come for a quarter of a second', async () => {
      const { run, pass, settled, batches } = aQueue()
      for (const name of burst) run(name)
      await settled()
      await pass(250)
      run('background', null, true)
      run('request')
      await settled()
      expect(batches.at(-1)).toEqual(['background', 'request'])
    })
  })

  it('writes a few requests together with background work', async () => {
    const { run, settled, batches } = aQueue()
    run('background', null, true)
    for (const name of numberedNames('request', 15)) run(name)
    await settled()
    expect(batches).toEqual([['background', ...numberedNames('request', 15)]])
  })

  it('limits the size of a batch, and the next batch takes the rest', async () => {
    const { run, settled, batches } = aQueue({ maxBatch: 2 })
    for (const name of numberedNames('job', 5)) run(name)
    await settled()
    expect(batches).toEqual([['job 1', 'job 2'], ['job 3', 'job 4'], ['job 5']])
  })

  it('writes nothing for jobs that are answered without a write', async () => {
    const { run, settled, batches, answers } = aQueue()
    run('read only')
    await settled()
    expect([batches, answers]).toEqual([[], { 'read only': E.right('read') }])
  })

  it('lets a job that cannot be decided, encoded or written fail alone', async () => {
    const outcomeOf = (name: string): Outcome<string> =>
      name === 'not writable'
        ? { type: 'failed', error: { _tag: 'Unavailable', code: 'disk_full', message: 'full' } }
        : { type: 'committed', result: 'done' }
    const { run, settled, batches, answers } = aQueue({ outcomeOf })
    for (const name of ['not decidable', 'not encodable', 'not writable', 'fine']) run(name)
    await settled()
    expect(batches).toEqual([['not writable', 'fine']])
    expect(answers).toEqual({
      'not decidable': E.left('internal_error'),
      'not encodable': E.left('internal_error'),
      'not writable': E.left('disk_full'),
      fine: E.right('done'),
    })
  })

  it('reports an unknown outcome if the commit itself breaks', async () => {
    const { run, settled, answers } = aQueue()
    run('breaking')
    await settled()
    expect(answers).toEqual({ breaking: E.left('outcome_unknown') })
  })

  it('runs one job per key at a time, and the others follow in the order of arrival', async () => {
    const { run, settled, batches } = aQueue()
    run('A 1', 'A')
    run('B 1', 'B')
    run('A 2', 'A')
    run('A 3', 'A')
    await settled()
    expect(batches).toEqual([['A 1', 'B 1'], ['A 2'], ['A 3']])
  })

  it('plans a job again after a conflict, and tells it all conflicts so far', async () => {
    const conflicts: ('changed' | 'reference_taken')[] = ['reference_taken', 'changed']
    const outcomeOf = (name: string): Outcome<string> => {
      const reason = name === 'unlucky' ? conflicts.shift() : undefined
      return reason === undefined ? { type: 'committed', result: 'done' } : { type: 'conflict', reason }
    }
    const { run, settled, steps, batches, answers } = aQueue({ outcomeOf })
    run('unlucky', 'A')
    run('lucky')
    await settled()
    expect(batches).toEqual([['unlucky', 'lucky'], ['unlucky'], ['unlucky']])
    expect(steps.filter((step) => step.startsWith('decide unlucky'))).toEqual([
      'decide unlucky',
      'decide unlucky reference_taken',
      'decide unlucky reference_taken changed',
    ])
    expect(answers.unlucky).toEqual(E.right('done'))
  })

  it('gives up a job that keeps conflicting', async () => {
    const { run, settled, batches, answers } = aQueue({ outcomeOf: () => ({ type: 'conflict', reason: 'changed' }) })
    run('unlucky', 'A')
    await settled()
    expect([batches.length, answers]).toEqual([50, { unlucky: E.left('contended') }])
  })

  it('writes first in the next batch what a commit had no time for', async () => {
    let commits = 2
    const outcomeOf = (): Outcome<string> =>
      commits-- > 0 ? { type: 'committed', result: 'done' } : { type: 'not_run' }
    const { run, settled, answerOne, batches } = aQueue({ outcomeOf, isSlow: true })
    for (const name of numberedNames('job', 4)) run(name)
    await settled()
    run('late')
    commits = 2
    await answerOne()
    commits = 9
    await answerOne()
    expect(batches).toEqual([numberedNames('job', 4), ['job 3', 'job 4', 'late']])
  })

  it('answers nobody before the commit', async () => {
    const { run, settled, answerOne, answers } = aQueue({ isSlow: true })
    run('first')
    await settled()
    expect(answers).toEqual({})
    await answerOne()
    expect(answers).toEqual({ first: E.right('done') })
  })

  it('has at most as many batches in flight as allowed', async () => {
    for (const maxInFlight of [1, 2] as const) {
      const { run, settled, answerOne, batches } = aQueue({ isSlow: true, maxInFlight })
      for (const name of numberedNames('job', 4)) {
        run(name)
        await settled()
      }
      expect(batches).toHaveLength(maxInFlight)
      await answerOne()
      expect(batches).toHaveLength(maxInFlight + 1)
    }
  })

  it('decides on an order only after its job in flight is written, and on other orders meanwhile', async () => {
    const { run, settled, answerOne, batches } = aQueue({ isSlow: true, maxInFlight: 2 })
    run('A 1', 'A')
    await settled()
    run('A 2', 'A')
    run('B 1', 'B')
    await settled()
    expect(batches).toEqual([['A 1'], ['B 1']])
    await answerOne()
    expect(batches).toEqual([['A 1'], ['B 1'], ['A 2']])
  })

  it('refuses jobs when it is full, but never the results of claimed jobs', async () => {
    const { run, settled, batches, answers } = aQueue({ capacity: 1 })
    run('shopper')
    run('one too many')
    for (const result of numberedNames('result', 5)) run(result, null, true)
    run('another')
    await settled()
    expect(batches).toEqual([['shopper', ...numberedNames('result', 5)]])
    expect([answers['one too many'], answers.another]).toEqual([E.left('queue_full'), E.left('queue_full')])
  })

  it('writes all waiting jobs before it closes, and accepts none afterwards', async () => {
    const { run, settled, close, answerOne, batches, answers } = aQueue({ isSlow: true })
    run('A 1', 'A')
    run('A 2', 'A')
    let isClosed = false
    void close().then(() => {
      isClosed = true
    })
    run('too late')
    await settled()
    expect([isClosed, batches]).toEqual([false, [['A 1']]])
    await answerOne()
    expect([isClosed, batches]).toEqual([false, [['A 1'], ['A 2']]])
    await answerOne()
    expect(isClosed).toBe(true)
    expect(answers).toEqual({ 'A 1': E.right('done'), 'A 2': E.right('done'), 'too late': E.left('closed') })
  })
})

import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type Conflict, groupCommit, type Job, type Outcome } from './group-commit.ts'

type Settings = {
  readonly capacity?: number
  readonly maxInFlight?: 1 | 2
  readonly maxBatch?: number
  /** By default, all is committed. */
  readonly outcomeOf?: (name: string) => Outcome<string>
  readonly monotonicNow?: () => number
  /** Each batch is answered when the test calls `answerOne`. */
  readonly isSlow?: boolean
}

const isConflict = (result: string): result is Conflict =>
  result === 'changed' || result === 'reference_taken'

/**
 * A queue in front of a database that records names, with the steps that it made, the batches, and
 * the answers.
 */
const aQueue = ({ outcomeOf, isSlow = false, ...options }: Settings = {}) => {
  const batches: (readonly string[])[] = []
  const steps: string[] = []
  const answers: Record<string, E.Either<string, string>> = {}
  let unanswered: (() => void)[] = []
  let turns: (() => void)[] = []

  const queue = groupCommit<string, string>({
    ...options,
    commit: (names: readonly string[]) => {
      batches.push(names)
      steps.push(`write ${names.join(', ')}`)
      const commitOutcome = () =>
        names.map((name) => (outcomeOf === undefined ? E.right('done') : outcomeOf(name)))
      if (names.includes('breaking')) return Promise.reject(new Error('the connection broke'))
      return isSlow
        ? new Promise((resolve) => unanswered.push(() => resolve(commitOutcome())))
        : Promise.resolve(commitOutcome())
    },
    soon: (run) => void turns.push(run),
  })

  const jobNamed = (name: string, key: string | null): Job<string, string, string> => ({
    key,
    plan: (conflicts) => {
      steps.push(['decide', name, ...conflicts].join(' '))
      if (name === 'not decidable') throw new Error('a fault')
      return name === 'read only'
        ? { type: 'done', answer: 'read' }
        : {
            type: 'write',
            encode: () => {
              steps.push(`encode ${name}`)
              if (name === 'not encodable') throw new Error('a value')
              return name
            },
            answer: (result) => (isConflict(result) ? E.left(result) : E.right(result)),
          }
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

/**
 * A queue whose load has lasted for longer than a burst. Its last request was answered at 900, and
 * its clock shows 1,000.
 */
const aLoadedQueue = async (options: Settings) => {
  let now = 0
  const queue = aQueue({ ...options, isSlow: true, monotonicNow: () => now })
  for (; now < 1_000; now += 100) {
    for (const name of numberedNames('burst', 16)) queue.run(name)
    await queue.settled()
    await queue.answerOne()
    await queue.answerOne()
  }
  const setNow = (millis: number): void => {
    now = millis
  }
  return { ...queue, setNow }
}

describe('group commit', () => {
  it('decides on all jobs of a batch, encodes all, and then writes all', async () => {
    const { run, settled, steps, answers } = aQueue()
    run('A')
    run('B')
    await settled()
    expect(steps).toEqual(['decide A', 'decide B', 'encode A', 'encode B', 'write A, B'])
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

  it('writes only requests during the first second of a burst, also while all of them are being written', async () => {
    let now = 0
    const { run, settled, answerOne, batches } = aQueue({
      isSlow: true,
      maxInFlight: 2,
      monotonicNow: () => now,
    })
    run('background', null, true)
    for (const name of numberedNames('request', 16)) run(name)
    await settled()
    expect(batches).toEqual([numberedNames('request', 8), numberedNames('request', 16).slice(8)])
    for (const name of numberedNames('later', 16)) run(name)
    await answerOne()
    expect(batches.at(-1)).toEqual(numberedNames('later', 12))
    now = 1_000
    await answerOne()
    expect(batches.at(-1)).toEqual(['background', ...numberedNames('later', 16).slice(12)])
  })

  it('lets many waiting requests go before background work under lasting load, for a second each time', async () => {
    const { run, settled, answerOne, batches, setNow } = await aLoadedQueue({})
    run('first')
    await settled()
    run('background', null, true)
    for (const name of numberedNames('request', 16)) run(name)
    setNow(1_100)
    await answerOne()
    expect(batches.at(-1)).toEqual(numberedNames('request', 16))
    for (const name of numberedNames('later', 16)) run(name)
    setNow(2_100)
    await answerOne()
    expect(batches.at(-1)).toEqual(['background', ...numberedNames('later', 16)])
  })

  it('counts requests that come after a quarter of a second without any as a new burst', async () => {
    const { run, settled, answerOne, batches, setNow } = await aLoadedQueue({ maxInFlight: 2 })
    for (const now of [1_149, 1_400]) {
      setNow(now)
      for (const name of numberedNames('request', 16)) run(name)
      await settled()
      await answerOne()
      await answerOne()
    }
    expect(batches.slice(-3).map((batch) => batch.length)).toEqual([16, 8, 8])
  })

  it('lets a request of a burst go before background work on its own order', async () => {
    const { run, settled, batches } = aQueue({ monotonicNow: () => 0 })
    run('completion', 'order', true)
    run('request on the order', 'order')
    for (const name of numberedNames('request', 15)) run(name)
    await settled()
    expect(batches).toEqual([
      ['request on the order', ...numberedNames('request', 15)],
      ['completion'],
    ])
  })

  it('runs background work under lasting load if all requests wait for an order in flight', async () => {
    const { run, settled, answerOne, batches } = await aLoadedQueue({ maxInFlight: 2 })
    run('in flight', 'order')
    await settled()
    run('background', null, true)
    for (const name of numberedNames('request', 16)) run(name, 'order')
    await settled()
    expect(batches.slice(-2)).toEqual([['in flight'], ['background']])
    await answerOne()
    expect(batches.at(-1)).toEqual(['request 1'])
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
        ? E.left({ _tag: 'Unavailable', code: 'disk_full', message: 'full' })
        : E.right('done')
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
      return reason === undefined ? E.right('done') : E.right(reason)
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
    const { run, settled, batches, answers } = aQueue({
      outcomeOf: () => E.right('changed'),
    })
    run('unlucky', 'A')
    await settled()
    expect([batches.length, answers]).toEqual([50, { unlucky: E.left('contended') }])
  })

  it('writes first in the next batch what a commit had no time for', async () => {
    let commits = 2
    const outcomeOf = (): Outcome<string> => (commits-- > 0 ? E.right('done') : null)
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
    expect(answers).toEqual({
      'A 1': E.right('done'),
      'A 2': E.right('done'),
      'too late': E.left('closed'),
    })
  })
})

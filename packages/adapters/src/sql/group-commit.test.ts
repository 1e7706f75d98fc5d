import type { Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type Conflict, groupCommit, type Job } from './group-commit.ts'

type Outcome = E.Either<Unavailable, string>

type Settings = {
  readonly capacity?: number
  readonly maxBatch?: number
  readonly maxInFlight?: 2
  /** By default, all is committed. */
  readonly outcomeOf?: (name: string) => Outcome
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

  const jobNamed = (
    name: string,
    key: string,
    isBackground: boolean,
  ): Job<string, string, string> => ({
    key,
    isBackground,
    plan: async (conflicts) => {
      steps.push(['decide', name, ...conflicts].join(' '))
      if (name === 'not decidable') throw new Error('a fault')
      return name === 'read only'
        ? { type: 'done', answer: 'read' }
        : {
            type: 'write',
            write: name,
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
    run: (name: string, key = name, isBackground = false): void =>
      void queue.run(jobNamed(name, key, isBackground)).then((answer) => {
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

describe('group commit', () => {
  it('waits while each turn of the event loop brings more jobs, so that they share a commit', async () => {
    const { run, turn, settled, batches } = aQueue()
    for (const name of numberedNames('job', 3)) {
      run(name)
      turn()
    }
    await settled()
    expect(batches).toEqual([numberedNames('job', 3)])
  })

  it('takes all requests, and background work in a quarter of a batch', async () => {
    const { run, settled, batches } = aQueue({ maxBatch: 8 })
    for (const name of numberedNames('background', 5)) run(name, name, true)
    for (const name of numberedNames('request', 10)) run(name)
    await settled()
    expect(batches).toEqual([
      [...numberedNames('request', 6), ...numberedNames('background', 2)],
      [...numberedNames('request', 10).slice(6), ...numberedNames('background', 4).slice(2)],
      ['background 5'],
    ])
  })

  it('lets a request go before background work on its own order', async () => {
    const { run, settled, batches } = aQueue()
    run('completion', 'order', true)
    run('request', 'order')
    await settled()
    expect(batches).toEqual([['request'], ['completion']])
  })

  it('refuses requests while too many jobs wait, but never background work', async () => {
    const { run, settled, answers } = aQueue({ capacity: 1 })
    run('first')
    run('background', 'background', true)
    run('refused')
    await settled()
    expect(answers).toEqual({
      first: E.right('done'),
      background: E.right('done'),
      refused: E.left('queue_full'),
    })
  })

  it('reports an unknown outcome if the commit itself breaks', async () => {
    const { run, settled, answers } = aQueue()
    run('breaking')
    await settled()
    expect(answers).toEqual({ breaking: E.left('outcome_unknown') })
  })

  it('plans a job again after a conflict, and tells it all conflicts so far', async () => {
    const conflicts: ('changed' | 'reference_taken')[] = ['reference_taken', 'changed']
    const outcomeOf = (name: string): Outcome => {
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

  it('decides on what comes meanwhile once a batch is written', async () => {
    const { run, settled, answerOne, batches } = aQueue({ isSlow: true })
    for (const name of numberedNames('job', 3)) {
      run(name)
      await settled()
    }
    expect(batches).toHaveLength(1)
    await answerOne()
    expect(batches).toEqual([['job 1'], ['job 2', 'job 3']])
  })

  it('may decide the next batch while one is written, except jobs whose key is in flight', async () => {
    const { run, settled, answerOne, close, batches, answers } = aQueue({
      isSlow: true,
      maxInFlight: 2,
    })
    run('first', 'order')
    await settled()
    run('second', 'order')
    await settled()
    run('other')
    await settled()
    run('third')
    await settled()
    expect(batches).toEqual([['first'], ['other']])
    await answerOne()
    expect(batches.at(-1)).toEqual(['second', 'third'])
    void close()
    await answerOne()
    await answerOne()
    expect(Object.keys(answers)).toEqual(['first', 'other', 'second', 'third'])
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

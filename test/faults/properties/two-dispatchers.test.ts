// Two processes over one database, of which one at a time dispatches: the lease can be lost at any
// moment, and results of a former holder can come late. In any history lanes keep their order at the
// merchant, everything ends, and each result counts once.
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CallEnd } from './dispatchers.ts'
import { mapsForHistories, postgresForHistories, sqliteForHistories } from './history-bases.ts'
import { type Act, type Ending, type Lane, openHistory } from './two-dispatchers.ts'

const { RUNS } = process.env
const DATABASE_RUNS = RUNS === undefined ? 20 : Math.ceil(Number(RUNS) / 20)

const slot = fc.nat(1)
const order = fc.nat(1)
const pick = fc.nat(9)

/** At most one act in a lane. */
const acts = fc.uniqueArray(
  fc.record<Act>({
    type: fc.constantFrom('do', 'revoke', 'expedite'),
    lane: fc.constantFrom<Lane>('notice', 'ipn', 'timer.checkoutLifetime'),
    delay: fc.constantFrom(0, 0, 600, 1_500, 5_000),
  }),
  { maxLength: 2, selector: ({ lane }) => lane },
)

const command = <T extends string>(type: T) => ({ type: fc.constant(type), slot })

const commands = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.record(command('claim')) },
    { weight: 6, arbitrary: fc.record({ ...command('step'), order, acts }) },
    {
      weight: 7,
      arbitrary: fc.record({
        ...command('end'),
        ...{ pick, acts },
        ending: fc.constantFrom<Ending>('delivered', 'delivered', 'exhausted', 'fault', 0, 3_000),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...{ ...command('release'), pick },
        as: fc.constantFrom<'started' | 'not_started'>('started', 'not_started'),
      }),
    },
    { weight: 3, arbitrary: fc.record({ ...command('resend'), order, pick }) },
    { weight: 2, arbitrary: fc.record({ ...command('retry stuck'), order, pick }) },
    { weight: 1, arbitrary: fc.record({ ...command('erase'), order }) },
    {
      weight: 9,
      arbitrary: fc.record({
        ...command('wait'),
        millis: fc.constantFrom(100, 100, 400, 400, 1_000, 3_000, 6_000, 31_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ ...command('set back'), millis: fc.nat(60_000) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        ...command('set machine'),
        millis: fc.integer({ min: -60_000, max: 60_000 }),
      }),
    },
    { weight: 4, arbitrary: fc.record(command('freeze')) },
    { weight: 3, arbitrary: fc.record(command('resume')) },
    { weight: 2, arbitrary: fc.record(command('cut off')) },
    { weight: 3, arbitrary: fc.record(command('connect')) },
    { weight: 5, arbitrary: fc.record(command('slow')) },
    { weight: 2, arbitrary: fc.record(command('fast')) },
    {
      weight: 6,
      arbitrary: fc.record({
        ...{ ...command('end call'), pick },
        as: fc.constantFrom<CallEnd>('answered', 'answered', 'unanswered', 'failed'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ ...command('crash'), pick }) },
    { weight: 4, arbitrary: fc.record({ ...command('take over'), isResumed: fc.boolean() }) },
  ),
  { minLength: 10, maxLength: 70, size: 'max' },
)
type Command = typeof commands extends fc.Arbitrary<(infer C)[]> ? C : never

/** It has the lease when it claims, and not any more when it has read what is due. */
const FROZEN_IN_CLAIM: Command[] = [
  { type: 'slow', slot: 0 },
  { type: 'claim', slot: 0 },
  ...Array<Command>(4).fill({ type: 'end call', slot: 0, pick: 0, as: 'answered' }),
  { type: 'freeze', slot: 0 },
  { type: 'fast', slot: 0 },
  { type: 'wait', slot: 0, millis: 6_000 },
  { type: 'claim', slot: 1 },
  { type: 'resume', slot: 0 },
]

/** A delivery that a former holder has in flight is asked for again. */
const ASKED_AGAIN: Command[] = [
  { type: 'claim', slot: 0 },
  { type: 'take over', slot: 1, isResumed: false },
  { type: 'wait', slot: 1, millis: 3_000 },
  { type: 'resend', slot: 1, order: 0, pick: 0 },
  { type: 'claim', slot: 1 },
]

type History = Awaited<ReturnType<typeof openHistory>>

const ACTS = ['claim', 'step', 'end', 'release', 'resend', 'retry stuck', 'freeze']

const happen = async (history: History, input: Command): Promise<void> => {
  const { type, slot: at } = input
  // A frozen process does nothing by itself.
  if (ACTS.includes(type) && !history.isAwake(at)) return
  switch (type) {
    case 'claim':
      return history.claim(at)
    case 'step':
      return history.step(at, input.order, input.acts)
    case 'end':
      return history.end(at, input.pick, input.ending, input.acts)
    case 'release':
      return history.release(at, input.pick, input.as)
    case 'resend':
      return history.resend(at, input.order, input.pick)
    case 'retry stuck':
      return history.retryStuck(at, input.order, input.pick)
    case 'freeze':
      return history.freeze(at)
    case 'wait':
      return history.wait(input.millis)
    case 'erase':
      return history.erase(input.order)
    case 'set machine':
      return history.setMachine(at, input.millis)
    case 'set back':
      return history.setBack(input.millis)
    case 'resume':
      return history.resume(at)
    case 'cut off':
      return history.cutOff(at, true)
    case 'connect':
      return history.cutOff(at, false)
    case 'slow':
      return history.slow(at)
    case 'fast':
      return history.fast(at)
    case 'end call':
      return history.endCall(at, input.pick, input.as)
    case 'crash':
      return history.crash(at, input.pick)
    // The other process freezes for so long that it loses the lease.
    case 'take over':
      history.freeze(1 - at)
      history.wait(6_000)
      if (history.isAwake(at)) history.claim(at)
      await history.flush()
      if (input.isResumed) history.resume(1 - at)
  }
}

describe('two dispatchers, in any history', () => {
  it.each([
    ['maps', Number(RUNS ?? 2_000), mapsForHistories],
    ['a SQLite file', DATABASE_RUNS, sqliteForHistories],
    ['PostgreSQL', DATABASE_RUNS, postgresForHistories],
  ])(
    'keep lanes in order, lose no job, and count each result once, on %s',
    async (_, numRuns, open) => {
      const base = await open()
      onTestFinished(base.close)
      await fc.assert(
        fc.asyncProperty(commands, async (inputs) => {
          const history = await openHistory(base)
          for (const input of inputs) {
            await happen(history, input)
            await history.flush()
          }
          expect(await history.settle()).toEqual([])
        }),
        { numRuns, examples: [[FROZEN_IN_CLAIM], [ASKED_AGAIN]] },
      )
    },
  )
})

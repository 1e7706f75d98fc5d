// Between two steps a configuration is all that a compiled machine has, so a wrong one must be
// refused, and a machine that does not come to rest must stop. XState has neither promise, so
// random-machines.test.ts cannot compare them.
import { describe, expect, it } from 'vitest'
import { type AnyStateNode, assign, createMachine, raise } from 'xstate'
import { type CompiledMachine, compile } from './compile.ts'

type Context = Readonly<Record<string, unknown>>
type Event = { readonly type: string; readonly [field: string]: unknown }
type Scope = { readonly context: { readonly n: number }; readonly event: Event }

const compiledFrom = (config: object): CompiledMachine<Context, Event, AnyStateNode> =>
  compile(createMachine({ id: 'm', context: {}, ...config } as never)) as CompiledMachine<
    Context,
    Event,
    AnyStateNode
  >

const resultOf = (config: object, events: readonly string[]) => {
  const machine = compiledFrom(config)
  const { leaves, ...last } = events.reduce(
    (before, type) => machine.transition(before, { type }),
    machine.initial({ n: 0 }),
  )
  return {
    ...last,
    value: machine.stateValueOf(leaves),
    names: last.actions.map(({ type }) => type),
  }
}

describe('a step', () => {
  it('begins with an event that carries the input', () => {
    const machine = compiledFrom({ entry: assign({ seen: ({ event }) => event }) })
    expect(machine.initial({}, { a: 1 }).context).toEqual({
      seen: { type: 'xstate.init', input: { a: 1 } },
    })
  })

  // Quirk of XState: only a change of states or context makes it look again.
  it('takes `always` only once if it changes neither the states nor the context', () => {
    const always = { actions: 'once' }
    expect(resultOf({ always }, []).names).toEqual(['once'])
    const raising = { go: { actions: [raise({ type: 'x' }), raise({ type: 'y' })] } }
    expect(resultOf({ always, on: raising }, ['go']).names).toEqual(['once', 'once', 'once'])
  })
})

describe('the limit of microsteps', () => {
  const countingMachine = (limit: number, maxIterations: number | undefined) => ({
    initial: 'a',
    states: {
      a: { on: { go: 'b' } },
      b: {
        always: {
          guard: ({ context }: Scope) => context.n < limit,
          actions: assign({ n: ({ context }) => context.n + 1 }),
        },
      },
    },
    options: { maxIterations },
  })

  it('is the machine’s own', () => {
    expect(resultOf(countingMachine(4, 5), ['go']).context).toEqual({ n: 4 })
    expect(() => resultOf(countingMachine(5, 5), ['go'])).toThrow(
      'The machine "m" does not reach a resting state within 5 microsteps.',
    )
  })

  it('is absent unless the machine has one', () => {
    expect(resultOf(countingMachine(2000, undefined), ['go']).context).toEqual({ n: 2000 })
    expect(resultOf({ ...countingMachine(2000, 1), options: undefined }, ['go']).context).toEqual({
      n: 2000,
    })
  })
})

describe('a configuration', () => {
  const config = {
    type: 'parallel',
    states: {
      p: { initial: 'p1', states: { p1: {}, p2: { on: { go: { actions: 'gone' } } } } },
      q: { initial: 'q1', states: { q1: {}, q2: {} } },
      r: {},
    },
  }
  const machine = compiledFrom(config)
  const at = (...path: readonly string[]) => machine.nodeAt(path)
  const [p1, p2, q1, r, p] = [at('p', 'p1'), at('p', 'p2'), at('q', 'q1'), at('r'), at('p')]

  it('is made of states found by their paths', () => {
    expect([p1, r, machine.nodeAt([])].map(({ id }) => id)).toEqual(['m.p.p1', 'm.r', 'm'])
    expect(
      machine.transition({ leaves: [p2, q1, r], context: {} }, { type: 'go' }).actions,
    ).toEqual([{ type: 'gone', params: {} }])
  })

  it.each([
    ['p', 'p3'],
    ['p', 'toString'],
    ['p', 'p1', 'x'],
  ])('has no state at a wrong path: %s %s', (...path) => {
    expect(() => machine.nodeAt([...path, 'deeper'])).toThrow(
      `The machine "m" has no state "${path.join('.')}".`,
    )
  })

  it('lists its states in document order, even if they are given in another order', () => {
    const stepped = machine.transition({ leaves: [r, q1, p1], context: {} }, { type: 'go' })
    expect(stepped.leaves).toEqual([p1, q1, r])
    expect(machine.stateValueOf([r, p2, q1])).toEqual({ p: 'p2', q: 'q1', r: {} })
  })

  it('must be complete, of resting states, and of this machine', () => {
    const other = compiledFrom(config)
    const wrong = [
      [],
      [p1, q1],
      [p1, p2, q1, r],
      [p, q1, r],
      [p1, q1, r, p],
      [p1, q1, r, other.nodeAt(['r'])],
      [p1, q1, other.nodeAt(['r'])],
      [p1, other.nodeAt(['q', 'q1']), r],
      other.initial({}).leaves,
    ]
    machine.stateValueOf([p1, q1, r])
    for (const leaves of wrong) {
      const names = leaves.map(({ id }) => id).join(', ')
      expect(() => machine.stateValueOf(leaves)).toThrow(
        `[${names}] is not a configuration of the machine "m": list one atomic state for each active region.`,
      )
    }
    const atomic = compiledFrom({})
    expect(() => atomic.stateValueOf([])).toThrow('[] is not a configuration')
  })

  it('can be left in every way again, whichever transitions it took before', () => {
    const region = (name: string) => ({
      initial: 'off',
      states: {
        off: { on: { flip: { guard: ({ event }: Scope) => event[name] === true, target: 'on' } } },
        on: {},
      },
    })
    const board = compiledFrom({
      type: 'parallel',
      states: { p: region('p'), q: region('q'), r: region('r') },
    })
    const first = board.initial({})
    const settings = Array.from({ length: 8 }, (_, bits) => ({
      p: bits > 3,
      q: bits % 4 > 1,
      r: bits % 2 > 0,
    }))
    for (const setting of [...settings, ...settings.toReversed()]) {
      const { leaves } = board.transition(first, { type: 'flip', ...setting })
      const value = Object.fromEntries(
        Object.entries(setting).map(([name, isOn]) => [name, isOn ? 'on' : 'off']),
      )
      expect(board.stateValueOf(leaves)).toEqual(value)
    }
  })

  it('is kept for the next step, up to a limit, and stays right beyond it', () => {
    const switches = Array.from({ length: 13 }, (_, n) => [
      `s${n}`,
      {
        initial: 'off',
        states: { off: { on: { [`flip${n}`]: 'on' } }, on: { on: { [`flip${n}`]: 'off' } } },
      },
    ])
    const board = compiledFrom({ type: 'parallel', states: Object.fromEntries(switches) })
    const first = board.initial({})
    const flip = (from: typeof first, n: number) => board.transition(from, { type: `flip${n}` })
    expect(flip(flip(first, 0), 0).leaves).toBe(first.leaves)
    let current = first
    // Gray code: each step flips one switch, and every setting comes once.
    for (let step = 1; step < 2 ** 13; step++)
      current = flip(current, 31 - Math.clz32(step & -step))
    const back = flip(current, 12)
    expect(back.leaves).toEqual(first.leaves)
    expect(back.leaves).not.toBe(first.leaves)
    expect(board.stateValueOf(back.leaves)).toEqual(
      Object.fromEntries(switches.map(([name]) => [name, 'off'])),
    )
  })
})

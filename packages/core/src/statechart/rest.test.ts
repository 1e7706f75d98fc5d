// When a step ends: `always`, final states, the limit of microsteps, and the configurations between the steps.
import { describe, expect, it } from 'vitest'
import { type AnyStateNode, assign, createMachine, raise, stateIn } from 'xstate'
import { type CompiledMachine, compile } from './compile.ts'

type Context = Readonly<Record<string, unknown>>
type Event = { readonly type: string; readonly [field: string]: unknown }
type Scope = { readonly context: { readonly n: number }; readonly event: Event }

const compiledFrom = (config: object): CompiledMachine<Context, Event, AnyStateNode> =>
  compile(createMachine({ id: 'm', context: {}, ...config } as never)) as CompiledMachine<Context, Event, AnyStateNode>

const resultOf = (config: object, events: readonly string[]) => {
  const machine = compiledFrom(config)
  const { leaves, ...last } = events.reduce(
    (before, type) => machine.transition(before, { type }),
    machine.initial({ n: 0 }),
  )
  return { ...last, value: machine.stateValueOf(leaves), names: last.actions.map(({ type }) => type) }
}

describe('always', () => {
  it('is taken after every step, even if no state reacts to the event', () => {
    const machine = compiledFrom({
      initial: 'a',
      states: { a: { always: { guard: ({ context }: Scope) => context.n > 0, target: 'b' } }, b: {} },
    })
    const before = machine.initial({ n: 0 })
    expect(machine.stateValueOf(before.leaves)).toBe('a')
    const stepped = machine.transition({ ...before, context: { n: 1 } }, { type: 'unheard.of' })
    expect(machine.stateValueOf(stepped.leaves)).toBe('b')
  })

  it('is asked of the inner state before the outer one', () => {
    const config = {
      initial: 'a',
      states: { a: { initial: 'b', states: { b: { always: { target: '#m.x' } } }, always: '#m.y' }, x: {}, y: {} },
    }
    expect(resultOf(config, []).value).toBe('x')
  })

  it('is asked of an outer state, even if another region takes its own', () => {
    const p = (guard: unknown) => ({
      initial: 'p1',
      states: { p1: { always: { guard, target: 'p2', actions: 'p' } }, p2: {} },
    })
    const outer = { guard: stateIn('#m.p.p1'), actions: ['outer', raise({ type: 'x' })] }
    expect(resultOf({ type: 'parallel', states: { p: p(() => true), q: {} }, always: outer }, []).names).toEqual([
      'p',
      'outer',
    ])
  })

  it('of an outer state is taken once for all its regions', () => {
    const outer = { guard: ({ context }: Scope) => context.n === 0, actions: ['outer', assign({ n: 1 })] }
    expect(resultOf({ type: 'parallel', states: { p: {}, q: {} }, always: outer }, []).names).toEqual(['outer'])
  })

  // Quirk of XState: only a change of states or context makes it look again.
  it('is taken only once if it changes neither the states nor the context', () => {
    expect(resultOf({ always: { actions: 'once' } }, []).names).toEqual(['once'])
    expect(
      resultOf({ always: { actions: 'once' }, on: { go: { actions: [raise({ type: 'x' }), raise({ type: 'y' })] } } }, [
        'go',
      ]).names,
    ).toEqual(['once', 'once', 'once'])
  })

  it('is taken again as long as the context changes', () => {
    const always = {
      guard: ({ context }: Scope) => context.n < 3,
      actions: ['again', assign({ n: ({ context }) => context.n + 1 })],
    }
    expect(resultOf({ always }, []).names).toEqual(['again', 'again', 'again'])
    expect(
      resultOf(
        {
          initial: 'a',
          states: { a: { always: { target: 'a', reenter: true, guard: always.guard, actions: always.actions } } },
        },
        [],
      ).names,
    ).toEqual(['again', 'again', 'again'])
  })

  // Quirk of XState: within a step, a region that has just moved is asked last. Between steps the order is forgotten.
  describe('of several regions', () => {
    const isLast = ({ event }: Scope) => event.type === 'last'
    const region = (name: string) => ({
      initial: 'one',
      states: {
        one: { on: { [name]: 'two' } },
        two: {
          always: { guard: isLast, target: 'three', actions: name },
          on: { [`reenter ${name}`]: { target: 'two', reenter: true } },
        },
        three: {},
      },
      always: { guard: isLast, actions: `${name} again` },
    })
    const raising = (...types: readonly string[]) => types.map((type) => raise({ type }))
    const config = {
      type: 'parallel',
      states: { p: region('p'), q: region('q') },
      on: {
        qFirst: { actions: raising('q', 'p', 'last') },
        pFirst: { actions: raising('p', 'q', 'last') },
        reenter: { actions: raising('reenter p', 'last') },
      },
    }

    it('is asked in the order in which they were entered within the step', () => {
      expect(resultOf(config, ['qFirst']).names).toEqual(['q', 'p', 'p again', 'q again'])
      expect(resultOf(config, ['pFirst']).names).toEqual(['p', 'q', 'p again', 'q again'])
    })

    it('is asked in document order after a rest', () => {
      expect(resultOf(config, ['q', 'p', 'last']).names).toEqual(['p', 'q', 'p again', 'q again'])
    })

    it('is asked in the same order if the same states have been entered again', () => {
      expect(resultOf(config, ['q', 'p', 'reenter']).names).toEqual(['p', 'q', 'p again', 'q again'])
    })

    it('is asked of atomic regions first', () => {
      const p = { initial: 'p1', states: { p1: { always: { guard: isLast, actions: 'p' } } } }
      const q = { always: { guard: isLast, actions: 'q' } }
      expect(resultOf({ type: 'parallel', states: { p, q } }, ['last']).names).toEqual(['q', 'p'])
    })
  })
})

describe('a final state', () => {
  const ending = (output: unknown, onDone: object) => ({
    initial: 'a',
    states: {
      a: {
        initial: 'b',
        states: { b: { on: { end: 'c' } }, c: { type: 'final', entry: 'ended', output } },
        onDone: { target: 'd', ...onDone },
      },
      d: {},
    },
  })
  const outputs = { actions: { type: 'done', params: ({ event }: Scope) => ({ output: event.output }) } }

  it('completes its parent, which reports the output', () => {
    expect(resultOf(ending(3, outputs), ['end'])).toMatchObject({
      value: 'd',
      actions: [{ type: 'ended' }, { type: 'done', params: { output: 3 } }],
    })
    expect(
      resultOf(
        ending(({ context, event }: Scope) => `${context.n} ${event.type}`, outputs),
        ['end'],
      ),
    ).toMatchObject({ actions: [{}, { params: { output: '0 end' } }] })
    expect(resultOf(ending(undefined, outputs), ['end']).actions.at(-1)).toEqual({
      type: 'done',
      params: { output: undefined },
    })
  })

  it('completes a parallel state once all its regions are final', () => {
    const region = (event: string) => ({ initial: 'a', states: { a: { on: { [event]: 'b' } }, b: { type: 'final' } } })
    const config = {
      initial: 'par',
      states: {
        par: {
          type: 'parallel',
          states: {
            inner: { type: 'parallel', states: { p: region('p'), q: region('q') }, onDone: { actions: 'inner' } },
            r: region('r'),
          },
          onDone: { target: 'end', actions: 'outer' },
        },
        end: {},
      },
    }
    expect(resultOf(config, ['p'])).toMatchObject({ names: [] })
    expect(resultOf(config, ['p', 'q'])).toMatchObject({ names: ['inner'] })
    expect(resultOf(config, ['r', 'p', 'q'])).toMatchObject({ names: ['inner', 'outer'], value: 'end' })
    expect(resultOf(config, ['p', 'q', 'r'])).toMatchObject({ names: ['outer'], value: 'end' })
  })

  it('completes nothing while another region is still to be entered', () => {
    const regions = {
      p: { initial: 'a', states: { a: { type: 'final' } } },
      q: { initial: 'a', states: { a: {} } },
    }
    const config = { initial: 'par', states: { par: { type: 'parallel', states: regions, onDone: 'end' }, end: {} } }
    expect(resultOf(config, []).value).toEqual({ par: { p: 'a', q: 'a' } })
  })

  it('completes a parallel state only once', () => {
    const regions = { p: { type: 'final' }, q: { type: 'final' } }
    const par = { type: 'parallel', states: regions, onDone: { actions: 'done' } }
    expect(resultOf({ initial: 'par', states: { par } }, []).names).toEqual(['done'])
  })

  it('may itself be a region', () => {
    const config = {
      initial: 'par',
      states: {
        par: { type: 'parallel', states: { p: { type: 'final' }, q: { type: 'final' } }, onDone: 'end' },
        end: {},
      },
    }
    expect(resultOf(config, []).value).toBe('end')
    const unfinished = {
      initial: 'par',
      states: { par: { type: 'parallel', states: { p: { type: 'final' }, q: {} }, onDone: 'end' }, end: {} },
    }
    expect(resultOf(unfinished, []).value).toEqual({ par: { p: {}, q: {} } })
  })

  const finished = {
    initial: 'a',
    exit: '-m',
    states: {
      a: { exit: '-a', on: { end: { target: 'z', actions: raise({ type: 'more' }) } } },
      z: { type: 'final', entry: '+z', exit: '-z', always: { actions: 'never' } },
    },
    on: { more: { actions: 'never' }, go: { actions: 'gone' }, back: '.a', quiet: {} },
  }

  it('of the root ends the machine: all exit actions run, and raised events are dropped', () => {
    expect(resultOf(finished, ['end'])).toMatchObject({ value: 'z', names: ['-a', '+z', '-z', '-m'] })
    expect(resultOf({ type: 'final', entry: '+m', exit: '-m', always: { actions: 'never' } }, [])).toMatchObject({
      names: ['+m', '-m'],
    })
  })

  // Quirk of XState: the machine is still done then, so its exit actions run once more.
  it('of the root lets transitions of the root happen, and runs the exit actions again', () => {
    expect(resultOf(finished, ['end', 'unheard.of']).names).toEqual([])
    expect(resultOf(finished, ['end', 'go'])).toMatchObject({ value: 'z', names: ['gone', '-z', '-m'] })
    expect(resultOf(finished, ['end', 'quiet'])).toMatchObject({ value: 'z', names: ['-z', '-m'] })
    expect(resultOf(finished, ['end', 'back'])).toMatchObject({ value: 'a', names: ['-z', '-a', '-m'] })
  })
})

describe('the limit of microsteps', () => {
  const counting = (limit: number, maxIterations: number | undefined) => ({
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
    expect(resultOf(counting(4, 5), ['go']).context).toEqual({ n: 4 })
    expect(() => resultOf(counting(5, 5), ['go'])).toThrow(
      'The machine "m" does not reach a resting state within 5 microsteps.',
    )
  })

  it('is absent unless the machine has one', () => {
    expect(resultOf(counting(2000, undefined), ['go']).context).toEqual({ n: 2000 })
    expect(resultOf({ ...counting(2000, 1), options: undefined }, ['go']).context).toEqual({ n: 2000 })
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
  const [p1, p2, q1, r, p] = [['p', 'p1'], ['p', 'p2'], ['q', 'q1'], ['r'], ['p']].map(machine.nodeAt) as [
    AnyStateNode,
    AnyStateNode,
    AnyStateNode,
    AnyStateNode,
    AnyStateNode,
  ]

  it('is made of states found by their paths', () => {
    expect([p1, r, machine.nodeAt([])].map(({ id }) => id)).toEqual(['m.p.p1', 'm.r', 'm'])
    expect(machine.transition({ leaves: [p2, q1, r], context: {} }, { type: 'go' }).actions).toEqual([
      { type: 'gone', params: {} },
    ])
  })

  it.each([
    ['p', 'p3'],
    ['p', 'toString'],
    ['p', 'p1', 'x'],
  ])('has no state at a wrong path: %s %s', (...path) => {
    expect(() => machine.nodeAt([...path, 'deeper'])).toThrow(`The machine "m" has no state "${path.join('.')}".`)
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
        `[${names}] is not a configuration of the machine "m": list one atomic or final state for each active region.`,
      )
    }
    const atomic = compiledFrom({})
    expect(() => atomic.stateValueOf([])).toThrow('[] is not a configuration')
  })

  it('can be left in every way again, whichever transitions it took before', () => {
    const region = (name: string) => ({
      initial: 'off',
      states: { off: { on: { flip: { guard: ({ event }: Scope) => event[name] === true, target: 'on' } } }, on: {} },
    })
    const board = compiledFrom({ type: 'parallel', states: { p: region('p'), q: region('q'), r: region('r') } })
    const first = board.initial({})
    const settings = Array.from({ length: 8 }, (_, bits) => ({ p: bits > 3, q: bits % 4 > 1, r: bits % 2 > 0 }))
    for (const setting of [...settings, ...settings.toReversed()]) {
      const { leaves } = board.transition(first, { type: 'flip', ...setting })
      const value = Object.fromEntries(Object.entries(setting).map(([name, isOn]) => [name, isOn ? 'on' : 'off']))
      expect(board.stateValueOf(leaves)).toEqual(value)
    }
  })

  it('is kept for the next step, up to a limit, and stays right beyond it', () => {
    const switches = Array.from({ length: 13 }, (_, n) => [
      `s${n}`,
      { initial: 'off', states: { off: { on: { [`flip${n}`]: 'on' } }, on: { on: { [`flip${n}`]: 'off' } } } },
    ])
    const board = compiledFrom({ type: 'parallel', states: Object.fromEntries(switches) })
    const first = board.initial({})
    const flip = (from: typeof first, n: number) => board.transition(from, { type: `flip${n}` })
    expect(flip(flip(first, 0), 0).leaves).toBe(first.leaves)
    let current = first
    // Gray code: each step flips one switch, and every setting comes once.
    for (let step = 1; step < 2 ** 13; step++) current = flip(current, 31 - Math.clz32(step & -step))
    const back = flip(current, 12)
    expect(back.leaves).toEqual(first.leaves)
    expect(back.leaves).not.toBe(first.leaves)
    expect(board.stateValueOf(back.leaves)).toEqual(Object.fromEntries(switches.map(([name]) => [name, 'off'])))
  })
})

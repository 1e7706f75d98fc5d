// The order in which a compiled machine leaves and enters states, runs actions and asks guards, one sentence for each rule. The
// random machines in random-machines.test.ts show that XState has the same rules.
import { describe, expect, it } from 'vitest'
import { type AnyStateNode, and, assign, cancel, createMachine, not, or, raise, stateIn } from 'xstate'
import { type CompiledMachine, compile } from './compile.ts'

type Context = Readonly<Record<string, unknown>>
type Event = { readonly type: string; readonly [field: string]: unknown }
type Scope = { readonly context: { readonly n: number }; readonly event: Event }

type Compiled = CompiledMachine<Context, Event, AnyStateNode>

const compiledFrom = (config: object, implementations: object = {}): Compiled =>
  compile(createMachine({ id: 'm', context: {}, ...config } as never, implementations as never)) as Compiled

const eventOf = (event: string | Event): Event => (typeof event === 'string' ? { type: event } : event)

/** The result of the last of these events, from the initial state. */
const resultOf = (config: object, events: readonly (string | Event)[], context: Context = { n: 0 }) => {
  const machine = compiledFrom(config)
  const { leaves, ...last } = events.reduce(
    (before, event) => machine.transition(before, eventOf(event)),
    machine.initial(context),
  )
  return { ...last, value: machine.stateValueOf(leaves), names: last.actions.map(({ type }) => type) }
}

/** A state whose entry and exit actions say its name. */
const logged = (name: string, state: object = {}): object => ({ entry: `+${name}`, exit: `-${name}`, ...state })

const nested = logged('m', {
  initial: 'a',
  states: {
    a: logged('a', {
      initial: 'a1',
      states: { a1: logged('a1', { on: { next: { target: 'a2', actions: 'go' } } }), a2: logged('a2') },
      on: {
        inside: { target: '.a2', actions: 'go' },
        around: { target: '.a2', reenter: true, actions: 'go' },
        self: { target: 'a', actions: 'go' },
        selfAround: { target: 'a', reenter: true, actions: 'go' },
        stay: { actions: 'go' },
        stayAround: { actions: 'go', reenter: true },
        nowhere: { target: [], actions: 'go' },
        out: { target: 'b', actions: 'go' },
        deep: { target: '#m.b.b1.y' },
        root: { target: '#m', actions: 'go' },
        rootAround: { target: '#m', reenter: true, actions: 'go' },
      },
    }),
    b: logged('b', {
      initial: { target: 'b1', actions: 'b chooses' },
      states: {
        b1: logged('b1', {
          initial: { target: 'x', actions: 'b1 chooses' },
          states: { x: logged('x'), y: logged('y') },
        }),
      },
    }),
  },
  on: { top: { target: '.a', actions: 'go' }, topAround: { target: '.b', reenter: true, actions: 'go' } },
})

const parallel = logged('m', {
  type: 'parallel',
  states: {
    p: logged('p', {
      initial: 'p1',
      states: { p1: logged('p1', { on: { both: { target: 'p2', actions: 'p goes' } } }), p2: logged('p2') },
    }),
    q: logged('q', {
      initial: 'q1',
      states: {
        q1: logged('q1', { on: { both: { target: 'q2', actions: 'q goes' }, hop: '#m.p.p2' } }),
        q2: logged('q2'),
      },
      on: { own: { actions: 'q’s own' } },
    }),
    r: logged('r'),
  },
  on: { both: { actions: 'never' }, own: { actions: 'never' }, unanswered: { actions: 'm’s own' }, pair: '.p.p2' },
})

describe('a compiled machine begins', () => {
  it('with the outer states, the earlier regions, and the actions of `initial` after those of entry', () => {
    expect(resultOf(parallel, []).names).toEqual(['+m', '+p', '+p1', '+q', '+q1', '+r'])
    expect(
      resultOf({ initial: { target: 'a', actions: 'm chooses' }, entry: '+m', states: { a: logged('a') } }, []).names,
    ).toEqual(['+m', 'm chooses', '+a'])
  })

  it('in an atomic root', () => {
    const config = { entry: 'begin', on: { go: { actions: 'gone' } } }
    expect(resultOf(config, [])).toMatchObject({ value: {}, names: ['begin'] })
    expect(resultOf(config, ['go'])).toMatchObject({ value: {}, names: ['gone'] })
  })

  it('with an event that carries the input', () => {
    const machine = compiledFrom({ entry: assign({ seen: ({ event }) => event }) })
    expect(machine.initial({}, { a: 1 }).context).toEqual({ seen: { type: 'xstate.init', input: { a: 1 } } })
  })
})

describe('a compiled machine moves', () => {
  it.each<[sentence: string, event: string, names: readonly string[]]>([
    ['from a state to its neighbour', 'next', ['-a1', 'go', '+a2']],
    ['into a child without leaving the parent', 'inside', ['-a1', 'go', '+a2']],
    ['into a child and around the parent if it reenters', 'around', ['-a1', '-a', 'go', '+a', '+a2']],
    ['to itself by leaving only its children', 'self', ['-a1', 'go', '+a1']],
    ['to itself by leaving and entering itself if it reenters', 'selfAround', ['-a1', '-a', 'go', '+a', '+a1']],
    ['nowhere without a target', 'stay', ['go']],
    ['nowhere without a target, even if it reenters', 'stayAround', ['go']],
    ['nowhere with an empty list of targets', 'nowhere', ['go']],
    [
      'out of inner states first and into outer states first',
      'out',
      ['-a1', '-a', 'go', '+b', 'b chooses', '+b1', 'b1 chooses', '+x'],
    ],
    ['to a deep target without the actions of `initial` on the way', 'deep', ['-a1', '-a', '+b', '+b1', '+y']],
    // Quirk of XState: the root is entered again without having been left.
    ['from a state to the root', 'root', ['-a1', '-a', 'go', '+m', '+a', '+a1']],
    [
      'from a state to the root and around it if it reenters',
      'rootAround',
      ['-a1', '-a', '-m', 'go', '+m', '+a', '+a1'],
    ],
    ['from the root to a child', 'top', ['-a1', '-a', 'go', '+a', '+a1']],
    [
      'from the root to a child and around the root if it reenters',
      'topAround',
      ['-a1', '-a', '-m', 'go', '+m', '+b', 'b chooses', '+b1', 'b1 chooses', '+x'],
    ],
  ])('%s', (_, event, names) => {
    expect(resultOf(nested, [event]).names).toEqual(names)
  })

  it('all regions together: exits from the last region, then actions, then entries from the first', () => {
    expect(resultOf(parallel, ['both'])).toMatchObject({
      value: { p: 'p2', q: 'q2', r: {} },
      names: ['-q1', '-p1', 'p goes', 'q goes', '+p2', '+q2'],
    })
  })

  it('the regions that have no target themselves to their first states', () => {
    expect(resultOf(parallel, ['both', 'pair'])).toMatchObject({
      value: { p: 'p2', q: 'q1', r: {} },
      names: ['-r', '-q2', '-q', '-p2', '-p', '+p', '+p2', '+q', '+q1', '+r'],
    })
    expect(resultOf(parallel, ['hop']).names).toEqual(['-r', '-q1', '-q', '-p1', '-p', '+p', '+p2', '+q', '+q1', '+r'])
  })

  it('to several targets in different regions', () => {
    const regions = {
      p: { initial: 'p1', states: { p1: {}, p2: {} } },
      q: { initial: { target: 'q1', actions: 'q chooses' }, states: { q1: logged('q1'), q2: {} } },
      s: { initial: 's1', states: { s1: {}, s2: {} } },
    }
    const config = {
      initial: 'a',
      states: { a: { on: { go: { target: ['par.p.p2', 'par.s.s2'] } } }, par: { type: 'parallel', states: regions } },
    }
    // Quirk of XState: a region that is entered only because its neighbours are does not run the actions of its `initial`.
    expect(resultOf(config, ['go'])).toMatchObject({ value: { par: { p: 'p2', q: 'q1', s: 's2' } }, names: ['+q1'] })
  })

  it('a region to itself without touching its neighbours', () => {
    const p = logged('p', { initial: 'p1', states: { p1: logged('p1') }, on: { self: { target: 'p' } } })
    expect(resultOf({ type: 'parallel', states: { p, q: logged('q') } }, ['self']).names).toEqual(['-p1', '+p1'])
  })

  it('out of the source if one of several targets is outside of it', () => {
    const p = logged('p', {
      initial: 'p1',
      states: { p1: {}, p2: {} },
      on: { inside: { target: ['.p2', '#m.q.q2'] }, itself: { target: ['p', '#m.q.q2'] } },
    })
    const q = logged('q', { initial: 'q1', states: { q1: {}, q2: {} } })
    const [inside, itself] = ['inside', 'itself'].map((event) =>
      resultOf({ type: 'parallel', states: { p, q } }, [event]),
    )
    expect(inside).toMatchObject({ value: { p: 'p2', q: 'q2' }, names: ['-q', '-p', '+p', '+q'] })
    expect(itself).toMatchObject({ value: { p: 'p1', q: 'q2' }, names: ['-q', '-p', '+p', '+q'] })
  })

  it('out of the parallel state from the first region, although the second one only moves within it', () => {
    const p = { on: { go: { target: '#m.x', actions: 'p goes' } } }
    const q = { initial: 'q1', states: { q1: { on: { go: { target: 'q2', actions: 'q goes' } } }, q2: {} } }
    const config = { initial: 'par', states: { par: { type: 'parallel', states: { p, q } }, x: {} } }
    expect(resultOf(config, ['go'])).toMatchObject({ value: 'x', names: ['p goes'] })
  })

  it('one of two regions that both leave the parallel state: the first, unless the second is an inner one', () => {
    const leaving = (from: object, others: object = {}) => ({
      initial: 'par',
      states: {
        par: {
          type: 'parallel',
          states: {
            p: { initial: 'p1', states: { p1: { on: { go: { target: '#m.x', actions: 'p goes' } } } } },
            q: { initial: 'q1', states: { q1: from } },
          },
          ...others,
        },
        x: {},
        y: {},
      },
    })
    expect(resultOf(leaving({ on: { go: { target: '#m.y', actions: 'q goes' } } }), ['go'])).toMatchObject({
      value: 'x',
      names: ['p goes'],
    })
    const always = (target: string, guard: unknown) => ({ always: { target, guard } })
    const guard = ({ event }: Scope) => event.type === 'set'
    const config = {
      type: 'parallel',
      states: {
        par: {
          initial: 'in',
          states: {
            in: {
              type: 'parallel',
              states: { p: {}, q: { initial: 'q1', states: { q1: always('#m.par.y', guard) } } },
              ...always('#m.par.x', guard),
            },
            x: {},
            y: {},
          },
        },
      },
    }
    expect(resultOf(config, ['set']).value).toEqual({ par: 'y' })
  })
})

describe('a compiled machine chooses a transition', () => {
  it('of the innermost state, and among those of one state the first whose guard holds', () => {
    const on = (name: string, n: number) => ({
      go: [
        { guard: ({ context }: Scope) => context.n === n, actions: `${name}, n is ${n}` },
        { guard: ({ context }: Scope) => context.n > n, actions: name },
      ],
    })
    const config = {
      initial: 'a',
      states: { a: { initial: 'b', states: { b: { on: on('b', 5) } }, on: on('a', 3) } },
      on: on('m', 1),
    }
    const chosen = [1, 2, 3, 4, 5, 6, 0].map((n) => resultOf(config, ['go'], { n }).names)
    expect(chosen).toEqual([['m, n is 1'], ['m'], ['a, n is 3'], ['a'], ['b, n is 5'], ['b'], []])
  })

  it('of the parallel state only if no region has one', () => {
    expect(resultOf(parallel, ['own']).names).toEqual(['q’s own'])
    expect(resultOf(parallel, ['unanswered']).names).toEqual(['m’s own'])
  })

  it('of the parallel state if the guards of all regions refuse', () => {
    const on = { go: { guard: ({ context }: Scope) => context.n > 0, actions: 'region' } }
    const config = { type: 'parallel', states: { p: { on }, q: { on }, r: {} }, on: { go: { actions: 'm' } } }
    expect(resultOf(config, ['go']).names).toEqual(['m'])
    expect(resultOf(config, ['go'], { n: 1 }).names).toEqual(['region', 'region'])
  })

  it('not at all if an inner state forbids the event', () => {
    const config = { initial: 'a', states: { a: { on: { go: {} } } }, on: { go: { actions: 'never' } } }
    expect(resultOf(config, ['go']).names).toEqual([])
  })

  it('by and, or, not and stateIn, with named guards and their params', () => {
    const isSet = { type: 'isOver', params: { limit: 1 } }
    const isOverItsDouble = { type: 'isOver', params: ({ context }: Scope) => ({ limit: context.n * 2 }) }
    const holds = (guard: unknown, n = 2): boolean => {
      const config = {
        type: 'parallel',
        states: {
          p: { on: { go: { guard, actions: 'held' } } },
          q: { initial: 'q1', states: { q1: { initial: 'q3', states: { q3: {} } }, q2: {} } },
        },
      }
      const guards = {
        isOver: ({ context }: Scope, { limit }: { readonly limit: number }) => context.n > limit,
        both: and([isSet, stateIn('q')] as never),
        takesNoParams: (_: Scope, params: unknown) => params === undefined,
      }
      const compiled = compiledFrom(config, { guards })
      return compiled.transition(compiled.initial({ n }), { type: 'go' }).actions.length > 0
    }
    expect([holds(isSet), holds(isSet, 1), holds(isOverItsDouble), holds(isOverItsDouble, -1)]).toEqual([
      true,
      false,
      false,
      true,
    ])
    expect([holds('takesNoParams'), holds({ type: 'takesNoParams' }), holds('both'), holds('both', 0)]).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect([holds(not(isSet)), holds(not(isSet), 1)]).toEqual([false, true])
    expect([holds(and([isSet, not(isSet)])), holds(and([isSet, isSet])), holds(and([]))]).toEqual([false, true, true])
    expect([holds(or([not(isSet), isSet])), holds(or([not(isSet), not(isSet)])), holds(or([]))]).toEqual([
      true,
      false,
      false,
    ])
    expect([
      holds(stateIn('q.q1')),
      holds(stateIn('q.q2')),
      holds(stateIn({ q: { q1: 'q3' } })),
      holds(stateIn({ p: 'q1' })),
    ]).toEqual([true, false, true, false])
    expect([holds(stateIn('#m.q.q1')), holds(stateIn('#m.q.q1.q3')), holds(stateIn('#m.q.q2'))]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('with guards that see the states and the context before the step', () => {
    const config = {
      type: 'parallel',
      states: {
        p: { initial: 'p1', states: { p1: { on: { go: { target: 'p2', actions: assign({ n: 1 }) } } }, p2: {} } },
        q: { on: { go: { guard: and([stateIn('#m.p.p1'), ({ context }) => context.n === 0]), actions: 'held' } } },
      },
    }
    expect(resultOf(config, ['go'])).toMatchObject({ names: ['held'], context: { n: 1 } })
  })
})

describe('the actions of a compiled machine', () => {
  it('are names with params, either given or made from context and event', () => {
    const params = ({ context, event }: Scope) => ({ n: context.n, given: event.given })
    const actions = [
      'a',
      { type: 'b', params: { x: 1 } },
      assign({ n: 7 }),
      { type: 'c', params },
      { type: 'd', params: () => undefined },
    ]
    expect(resultOf({ on: { go: { actions } } }, [{ type: 'go', given: 2 }]).actions).toEqual([
      { type: 'a', params: {} },
      { type: 'b', params: { x: 1 } },
      { type: 'c', params: { n: 7, given: 2 } },
      { type: 'd', params: {} },
    ])
  })

  it('assign fields that all see the earlier context, and keep the other fields', () => {
    const swap = assign({ a: ({ context }) => context.b, b: ({ context }) => context.a, c: 3 })
    expect(resultOf({ on: { go: { actions: swap } } }, ['go'], { a: 1, b: 2, z: 0 }).context).toEqual({
      a: 2,
      b: 1,
      c: 3,
      z: 0,
    })
  })

  it('give named assigns, raises and cancels their params', () => {
    const config = {
      on: {
        go: { actions: ['add', 'set', 'later', 'now', 'drop'].map((type) => ({ type, params: { by: 4 } })) },
        now: { actions: { type: 'note', params: ({ event }: Scope) => event } },
      },
    }
    const actions = {
      add: assign(({ context }, { by }: { readonly by: number }) => ({ n: context.n + by })),
      set: assign({ m: (_, { by }: { readonly by: number }) => by }),
      later: raise((_, { by }: { readonly by: number }) => ({ type: 'x', by }), { id: 'id', delay: (_, { by }) => by }),
      now: raise((_, { by }: { readonly by: number }) => ({ type: 'now', by })),
      drop: cancel((_, { by }: { readonly by: number }) => `timer ${by}`),
    }
    const compiled = compiledFrom(config, { actions })
    expect(compiled.transition(compiled.initial({ n: 1 }), { type: 'go' })).toMatchObject({
      context: { n: 5, m: 4 },
      actions: [
        { type: 'xstate.raise', params: { event: { type: 'x', by: 4 }, id: 'id', delay: 4 } },
        { type: 'xstate.cancel', params: { sendId: 'timer 4' } },
        { type: 'note', params: { type: 'now', by: 4 } },
      ],
    })
  })

  it('leave nothing behind if nothing happens: the same context, the same states, no actions', () => {
    const machine = compiledFrom(nested)
    const before = machine.initial({ n: 0 })
    const stepped = machine.transition(before, { type: 'unheard.of' })
    expect(stepped.context).toBe(before.context)
    expect(stepped.leaves).toBe(before.leaves)
    expect(stepped.actions).toEqual([])
  })
})

describe('the timers of a compiled machine', () => {
  const config = {
    initial: 'a',
    states: {
      a: { after: { 20: { target: 'b', actions: 'fired' } }, on: { again: { target: 'a', reenter: true } } },
      b: {},
    },
  }
  const id = 'xstate.after.20.m.a'
  const armed = { type: 'xstate.raise', params: { event: { type: id }, id, delay: 20 } }
  const cancelled = { type: 'xstate.cancel', params: { sendId: id } }

  it('are armed on entry and cancelled on exit', () => {
    expect(resultOf(config, []).actions).toEqual([armed])
    expect(resultOf(config, ['again']).actions).toEqual([cancelled, armed])
  })

  it('fire as events', () => {
    expect(resultOf(config, [id])).toMatchObject({ value: 'b', actions: [cancelled, { type: 'fired', params: {} }] })
  })

  it('take a named delay as a number or a function', () => {
    const named = { initial: 'a', states: { a: { after: { fixed: 'b', computed: 'b' } }, b: {} } }
    const delays = { fixed: 5, computed: ({ context }: Scope) => context.n + 1 }
    const compiled = compiledFrom(named, { delays })
    expect(compiled.initial({ n: 6 }).actions.map(({ params }) => params.delay)).toEqual([5, 7])
  })

  it('are raised at once if the delay is no number', () => {
    const actions = raise({ type: 'now' }, { delay: () => undefined as never })
    expect(resultOf({ on: { go: { actions }, now: { actions: 'at once' } } }, ['go']).names).toEqual(['at once'])
  })
})

describe('raised events', () => {
  it('are handled in their order, and after the transitions without an event', () => {
    const config = {
      initial: 'a',
      states: {
        a: { on: { go: { target: 'b', actions: [raise({ type: 'one' }), raise({ type: 'two' })] } } },
        b: { always: { target: 'c', actions: 'always' } },
        c: {
          on: {
            one: { actions: ['one', raise({ type: 'three' })] },
            two: { actions: 'two' },
            three: { actions: 'three' },
          },
        },
      },
    }
    expect(resultOf(config, ['go']).names).toEqual(['always', 'one', 'two', 'three'])
  })

  it('are the event that guards and actions see, also for `always` afterwards', () => {
    const seen = { type: 'note', params: ({ event }: Scope) => ({ seen: event.type }) }
    const config = {
      initial: 'a',
      states: {
        a: { on: { go: { actions: raise({ type: 'inner' }) }, inner: { target: 'b', actions: seen } } },
        b: { always: { guard: ({ event }: Scope) => event.type === 'inner', target: 'c', actions: seen } },
        c: {},
      },
    }
    expect(resultOf(config, ['go'])).toMatchObject({
      value: 'c',
      actions: [{ params: { seen: 'inner' } }, { params: { seen: 'inner' } }],
    })
  })

  it('without a transition are dropped, and the later ones are still handled', () => {
    const config = {
      on: { go: { actions: [raise({ type: 'unheard' }), raise({ type: 'heard' })] }, heard: { actions: 'heard' } },
    }
    expect(resultOf(config, ['go']).names).toEqual(['heard'])
  })
})

// The compiler replaces XState's transition(), so it must agree with it in every corner: here
// random machines take random events on both sides, and every step is compared.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type AnyStateMachine,
  type AnyStateNode,
  and,
  assign,
  cancel,
  initialTransition,
  not,
  or,
  raise,
  type StateValue,
  setup,
  stateIn,
  transition as xstateTransition,
} from 'xstate'
import { compile } from './compile.ts'

type Context = { readonly fuel: number; readonly a: number; readonly b: number }
type Event = { readonly type: string; readonly n: number }
type Scope = { readonly context: Context; readonly event: Event }

/** `n` of the event that XState starts with is absent. */
const numberOf = (event: Event): number => event.n ?? 1

const machineSetup = setup({
  types: { context: {} as Context, events: {} as Event },
  guards: {
    aIsEven: ({ context }) => context.a % 2 === 0,
    bIsBelow: ({ context }, { limit }: { readonly limit: number }) => context.b < limit,
    eventIsSmall: ({ event }) => numberOf(event) < 3,
    hasFuel: ({ context }) => context.fuel > 0,
    bothSmall: and(['aIsEven', 'eventIsSmall'] as never),
  },
  actions: {
    note: () => {},
    report: (_, _params: { readonly of: number }) => {},
    burn: assign(({ context }) => ({ fuel: context.fuel - 1 })),
    addToA: assign(({ context, event }, { by }: { readonly by: number }) => ({
      a: context.a + by + numberOf(event),
    })),
    resetA: assign({ a: 0 }),
    doubleB: assign({
      b: ({ context }) => (context.b * 2 + 1) % 7,
      a: ({ context }) => context.a + 1,
    }),
    raiseE1: raise({ type: 'e1', n: 2 }),
    raiseCount: raise(({ context }) => ({ type: 'e2', n: context.a % 4 })),
    raiseLater: raise({ type: 'e3', n: 1 }, { id: 'later', delay: 'wait' }),
    cancelLater: cancel('later'),
  },
  delays: { wait: ({ context }) => 100 + context.a, pause: 40 as never },
})

type Tree = {
  readonly kind: 'atomic' | 'compound' | 'parallel'
  readonly children: readonly Tree[]
}

const { tree } = fc.letrec<{ tree: Tree; leaf: Tree; inner: Tree }>((tie) => ({
  leaf: fc.constant({ kind: 'atomic' as const, children: [] }),
  inner: fc.record({
    kind: fc.constantFrom('compound' as const, 'compound' as const, 'parallel' as const),
    children: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
  }),
  tree: fc.oneof({ maxDepth: 3, depthSize: 'medium' }, tie('leaf'), tie('inner')),
}))

const root: fc.Arbitrary<Tree> = fc.oneof(
  { weight: 1, arbitrary: tree },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constantFrom('compound' as const, 'parallel' as const),
      children: fc.array(tree, { minLength: 2, maxLength: 3 }),
    }),
  },
)

type Path = readonly string[]

const pathsIn = ({ children }: Tree, path: Path = []): readonly Path[] => [
  path,
  ...children.flatMap((child, index) => pathsIn(child, [...path, `s${index}`])),
]

const idOf = (path: Path): string => ['m', ...path].join('.')

const stateValueAt = ([first = '', ...others]: Path): StateValue =>
  others.length === 0 ? first : { [first]: stateValueAt(others) }

/**
 * All draws of one machine come from one list of numbers, so that fast-check can make a failing
 * machine smaller.
 */
type Draw = {
  readonly below: (limit: number) => number
  readonly oneOf: <A>(items: readonly A[]) => A
}

const drawFrom = (numbers: readonly number[]): Draw => {
  let next = 0
  const below = (limit: number) => (numbers[next++ % numbers.length] ?? 0) % limit
  return {
    below,
    oneOf: <A>(items: readonly A[]) => items[below(items.length)] as A,
  }
}

const EVENTS = ['e0', 'e1', 'e2', 'e3']

const guardFrom = (draw: Draw, paths: readonly Path[], depth = 0): unknown => {
  const inner = () => guardFrom(draw, paths, depth + 1)
  const path = draw.oneOf(paths)
  const kinds: readonly (() => unknown)[] = [
    () => 'aIsEven',
    () => 'eventIsSmall',
    () => 'bothSmall',
    () => ({ type: 'bIsBelow', params: { limit: draw.below(6) } }),
    () => ({ type: 'bIsBelow', params: ({ context }: Scope) => ({ limit: context.a % 6 }) }),
    () => stateIn(`#${idOf(path)}` as never),
    () => (path.length === 0 ? 'aIsEven' : stateIn(stateValueAt(path) as never)),
    () => (path.length === 0 ? 'eventIsSmall' : stateIn(path.join('.') as never)),
    () =>
      ({ context }: Scope) =>
        context.a % 3 !== 0,
    () => and([inner(), inner()] as never),
    () => or([inner(), inner()] as never),
    () => not(inner() as never),
  ]
  return draw.oneOf(kinds.slice(0, depth < 2 ? kinds.length : 9))()
}

const actionsFrom = (draw: Draw, place: string): readonly unknown[] =>
  Array.from({ length: draw.below(3) }, (_, index) => {
    const of = draw.below(90)
    return draw.oneOf<unknown>([
      { type: 'note', params: { at: `${place} ${index}` } },
      'note',
      {
        type: 'report',
        params: ({ context, event }: Scope) => ({ of: context.a + context.b + numberOf(event) }),
      },
      { type: 'addToA', params: { by: of % 3 } },
      { type: 'addToA', params: ({ context }: Scope) => ({ by: context.b }) },
      'resetA',
      'doubleB',
      assign({ b: of % 5 }),
      { type: 'unheardOf', params: { of } },
      raise({ type: `e${of % 4}`, n: of % 5 } as never),
      'raiseE1',
      'raiseCount',
      'raiseLater',
      raise((({ event }: Scope) => ({ type: 'e0', n: numberOf(event) })) as never, {
        delay: (({ context }: Scope) => context.a) as never,
      }),
      'cancelLater',
      cancel(({ context }: Scope) => `timer ${context.a}`),
    ])
  })

const isWithin = (inner: Path, outer: Path): boolean =>
  outer.every((name, index) => inner[index] === name)

const transitionFrom = (draw: Draw, paths: readonly Path[], path: Path): object => {
  const siblings = paths.filter((each) => isWithin(each, path.slice(0, -1)))
  const target = draw.oneOf<() => Path | null>([
    () => null,
    () => draw.oneOf(siblings),
    () => draw.oneOf(siblings),
    () => draw.oneOf(siblings),
    () => draw.oneOf(paths),
    () => draw.oneOf(paths),
  ])()
  const isGuarded = draw.below(3) > 0
  const guard = isGuarded ? guardFrom(draw, paths) : undefined
  // Without the fuel most machines that raise events or have `always` would never come to rest.
  const burns = draw.below(30) > 0
  const actions = actionsFrom(draw, `from ${idOf(path)}`)
  return {
    ...(target === null ? {} : { target: `#${idOf(target)}` }),
    ...(draw.below(3) === 0 ? { reenter: true } : {}),
    ...(burns
      ? { guard: and(['hasFuel', ...(isGuarded ? [guard] : [])] as never) }
      : isGuarded
        ? { guard }
        : {}),
    actions: burns ? ['burn', ...actions] : actions,
  }
}

const configOf = (numbers: readonly number[], whole: Tree): object => {
  const draw = drawFrom(numbers)
  const paths = pathsIn(whole)
  const transitions = (path: Path) =>
    Array.from({ length: 1 + draw.below(2) }, () => transitionFrom(draw, paths, path))
  const node = ({ kind, children }: Tree, path: Path): object => {
    const initial = `s${draw.below(Math.max(1, children.length))}`
    return {
      type: kind,
      ...(kind === 'compound' ? { initial } : {}),
      entry: actionsFrom(draw, `into ${idOf(path)}`),
      exit: actionsFrom(draw, `out of ${idOf(path)}`),
      on: Object.fromEntries(
        EVENTS.filter(() => draw.below(kind === 'atomic' ? 2 : 4) === 0).map((type) => [
          type,
          draw.below(12) === 0 ? {} : transitions(path),
        ]),
      ),
      ...(draw.below(4) === 0 ? { always: transitions(path) } : {}),
      ...(draw.below(5) === 0
        ? { after: { [draw.oneOf(['250', 'wait', 'pause'])]: transitions(path) } }
        : {}),
      states: Object.fromEntries(
        children.map((child, index) => [`s${index}`, node(child, [...path, `s${index}`])]),
      ),
    }
  }
  return {
    id: 'm',
    context: ({ input }: { readonly input: Context }) => input,
    ...node(whole, []),
    options: { maxIterations: 40 },
  }
}

type Action = { readonly type: string; readonly params?: unknown }

// XState also lists raises without delay, although it has handled them within the step.
const effects = (actions: readonly Action[]): readonly unknown[] =>
  actions
    .filter(
      ({ type, params }) =>
        type !== 'xstate.raise' || typeof (params as { delay?: unknown }).delay === 'number',
    )
    .map(({ type, params = {} }) => ({ type, params }))

type Outcome = {
  readonly value: StateValue
  readonly context: unknown
  readonly actions: readonly unknown[]
}

const attempt = <A>(make: () => A): A | 'throws' => {
  try {
    return make()
  } catch {
    return 'throws'
  }
}

const initialByXState = (machine: AnyStateMachine, context: Context): Outcome | 'throws' => {
  const [snapshot, actions] = initialTransition(machine, context)
  if (snapshot.status === 'error') return 'throws'
  return { value: snapshot.value, context: snapshot.context, actions: effects(actions) }
}

const stepByXState = (
  machine: AnyStateMachine,
  value: StateValue,
  context: Context,
  event: Event,
): Outcome | 'throws' =>
  attempt(() => {
    const [snapshot, actions] = xstateTransition(
      machine,
      machine.resolveState({ value, context }),
      event,
    )
    return { value: snapshot.value, context: snapshot.context, actions: effects(actions) }
  })

/** The types of the events that the active states react to. */
const typesFor = (leaves: readonly AnyStateNode[]): readonly string[] =>
  leaves.flatMap(({ transitions, parent }) => [
    ...transitions.keys(),
    ...(parent ? typesFor([parent]) : []),
  ])

const FUEL = 4

it('a compiled random machine steps as XState does, for any machine and any events', () => {
  let [steps, throwing, moving] = [0, 0, 0]
  fc.assert(
    fc.property(
      root,
      fc.array(fc.nat(100_000), { minLength: 300, maxLength: 600, size: 'max' }),
      fc.array(fc.record({ pick: fc.nat(1000), n: fc.nat(5) }), {
        minLength: 1,
        maxLength: 14,
        size: 'max',
      }),
      (whole, numbers, events) => {
        const machine = machineSetup.createMachine(
          configOf(numbers, whole) as never,
        ) as unknown as AnyStateMachine
        const compiled = compile(machine)
        const begin = { fuel: FUEL, a: 0, b: 1 }
        const begun = attempt(() => compiled.initial(begin, begin))
        const expected = initialByXState(machine, begin)
        if (begun === 'throws' || expected === 'throws') {
          expect(begun).toBe(expected)
          return
        }
        expect(compiled.stateValueOf(begun.leaves)).toEqual(expected.value)
        expect({ context: begun.context, actions: effects(begun.actions) }).toEqual({
          context: expected.context,
          actions: expected.actions,
        })
        let { leaves, context } = begun
        for (const { pick, n } of events) {
          const types = [...EVENTS, 'unheard.of', ...typesFor(leaves), ...typesFor(leaves)]
          const event: Event = { type: types[pick % types.length] ?? '', n }
          const input = { ...context, fuel: FUEL }
          const value = compiled.stateValueOf(leaves)
          const next = stepByXState(machine, value, input, event)
          const stepped = attempt(() => compiled.transition({ leaves, context: input }, event))
          steps++
          if (stepped === 'throws' || next === 'throws') {
            expect(stepped).toBe(next)
            throwing++
            return
          }
          expect({
            value: compiled.stateValueOf(stepped.leaves),
            context: stepped.context,
            actions: effects(stepped.actions),
          }).toEqual(next)
          if (JSON.stringify(next.value) !== JSON.stringify(value)) moving++
          leaves = stepped.leaves
          context = stepped.context
        }
      },
    ),
    { numRuns: 200 },
  )
  expect(throwing / steps).toBeLessThan(0.05)
  expect(moving / steps).toBeGreaterThan(0.1)
})

// The interpreter replaces XState's transition(), so it must agree with it about the order's machine:
// along every shortest path, and on random walks of random orders.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AnyStateMachine,
  type AnyStateNode,
  and,
  assign,
  createMachine,
  fromPromise,
  initialTransition,
  log,
  raise,
  setup,
  stateIn,
  transition as xstateTransition,
} from 'xstate'
import { machineEvent } from '../order/effects/effects.ts'
import type { MachineContext } from '../order/machine/machine-context.ts'
import { orderMachine } from '../order/machine/order-machine.ts'
import { machineInput, machineValue, ORDER_MODEL, restingStateOf } from '../order/model.ts'
import { type OrderState, REGIONS } from '../order/order.ts'
import { NEW_CONTEXT, type Placed } from '../order/order-context.ts'
import { PLACED, TERMS } from '../testing/harness/order-fixture.ts'
import { alongShortestPaths, alongWalk, type VisitedStep } from '../testing/machine-paths.ts'
import { runnerOf } from './run-machine.ts'

const runner = ORDER_MODEL.machine

type Action = { readonly type: string; readonly params?: unknown }

// XState also lists raises without delay, although it has handled them within the step.
const effects = (actions: readonly Action[]): readonly unknown[] =>
  actions
    .filter(({ type, params }) => type !== 'xstate.raise' || delayOf(params) !== undefined)
    .map(({ type, params = {} }) => ({ type, params }))

const delayOf = (params: unknown): unknown => (params as { readonly delay?: unknown }).delay

const stateValueOf = ([checkout, risk, cancellation]: readonly AnyStateNode[]) =>
  machineValue({
    checkout: checkout?.key,
    risk: risk?.key,
    cancellation: cancellation?.key,
  } as OrderState)

/** Takes the step again, from the order before it, and checks that XState takes the same one. */
const compareWithXState = ({ before, event, stepInput }: VisitedStep): OrderState => {
  const context = machineInput(TERMS)(before, stepInput)
  const leaves = REGIONS.map((region) => restingStateOf(region, before.state, ORDER_MODEL).node)
  const snapshot = orderMachine.resolveState({ value: machineValue(before.state), context })
  const [next, actions] = xstateTransition(orderMachine, snapshot, machineEvent(event))
  const stepped = runner.transition({ leaves, context }, machineEvent(event))
  expect(stateValueOf(stepped.leaves)).toEqual(next.value)
  expect(stepped.context).toEqual(next.context)
  expect(effects(stepped.actions)).toEqual(effects(actions))
  // No state ends the whole order: after each, it takes events.
  expect(next.status).toBe('active')
  return before.state
}

const placed: fc.Arbitrary<Placed> = fc
  .record({
    products: fc.subarray(['i1', 'pp3', 'fp1'], { minLength: 1 }),
    notifyUrl: fc.constantFrom(PLACED.notifyUrl, null),
    eventsWebhook: fc.constantFrom(PLACED.eventsWebhook, null),
  })
  .map(({ products, ...rest }) => ({
    ...PLACED,
    ...rest,
    merchant: { ...PLACED.merchant, products },
  }))

describe('the interpreter', () => {
  it('begins an order as XState does', () => {
    const context: MachineContext = machineInput(TERMS)(
      { placed: PLACED, context: NEW_CONTEXT, revision: 0 },
      { at: 0, random: { code: '54321', token: 't' }, referenceIsTaken: false },
    )
    const [snapshot, actions] = initialTransition(orderMachine, context)
    const begun = runner.initial(context)
    expect(stateValueOf(begun.leaves)).toEqual(snapshot.value)
    expect(begun.context).toEqual(snapshot.context)
    expect(effects(begun.actions)).toEqual(effects(actions))
  })

  it('steps as XState does along every shortest path, from each state that an order can rest in', () => {
    const reached = new Set<string>()
    alongShortestPaths(PLACED, TERMS, (visited) => {
      for (const name of Object.values(compareWithXState(visited))) reached.add(name)
    })
    const resting = REGIONS.flatMap((region) => [...ORDER_MODEL.states[region].keys()])
    expect([...reached].sort()).toEqual([...new Set(resting)].sort())
  })

  it('steps as XState does on random walks', () => {
    const choices = fc.array(fc.nat(), { minLength: 10, maxLength: 60 })
    fc.assert(
      fc.property(placed, choices, (order, numbers) => {
        alongWalk(order, TERMS, numbers, compareWithXState)
      }),
    )
  })
})

const chartSetup = setup({
  types: { context: {} as { readonly n: number } },
  guards: {
    isOdd: ({ context }) => context.n % 2 === 1,
    isBelow: ({ context }, { limit }: { readonly limit: number }) => context.n < limit,
  },
  actions: {
    logIt: log('x'),
    note: () => {},
    increment: assign({ n: ({ context }) => context.n + 1 }),
  },
  delays: { short: 10 },
})

const chartOf = (config: object): AnyStateMachine =>
  chartSetup.createMachine({
    id: 'm',
    context: { n: 0 },
    type: 'parallel',
    ...config,
  } as never) as unknown as AnyStateMachine

/** A machine whose state `m.one.a` has these properties. */
const withState = (state: object): AnyStateMachine =>
  chartOf({
    options: { maxIterations: 10 },
    states: {
      one: { initial: 'a', states: { a: state, b: {}, c: { type: 'final' } } },
      two: { initial: 'd', states: { d: { on: { go: { actions: 'note' } } } } },
    },
  })

const onGo = (transition: object): object => ({ on: { go: transition } })

describe('the interpreter refuses', () => {
  it.each<[feature: string, object]>([
    ['a parallel state below the root', { type: 'parallel', states: { x: {} } }],
    ['an invoked actor', { invoke: { src: fromPromise(async () => 1) } }],
    ['a wildcard event or onDone', { on: { 'pay.*': 'b' } }],
    ['several targets', onGo({ target: ['b', '#m.two.d'] })],
    ['a target in another region', onGo({ target: '#m.two.d' })],
    ['`always` without a target', { always: { actions: 'note' } }],
    [
      'actions of its initial state',
      { initial: { target: 'x', actions: 'note' }, states: { x: {} } },
    ],
    ['the guard "isEven", which has no implementation', onGo({ guard: 'isEven', target: 'b' })],
    [
      'the guard "isEven", which has no implementation',
      onGo({ guard: and(['isOdd', 'isEven'] as never), target: 'b' }),
    ],
    ['the action "shout", which has no implementation', onGo({ actions: { type: 'shout' } })],
    ['an action without a name', { entry: () => {} }],
    ['the action "xstate.log"', { exit: 'logIt' }],
  ])('%s', (feature, state) => {
    expect(() => runnerOf(withState(state))).toThrow(
      `State "m.one.a" uses ${feature}. The order's statechart cannot use it.`,
    )
  })

  it('a history state', () => {
    const state = { initial: 'x', states: { x: {}, h: { type: 'history' } } }
    expect(() => runnerOf(withState(state))).toThrow('State "m.one.a.h" uses a history state.')
  })

  it('a root without regions, and one with transitions', () => {
    const flat = createMachine({ id: 'm', initial: 'a', states: { a: {} } })
    expect(() => runnerOf(flat)).toThrow('State "m" uses a root that is not parallel.')
    const states = { a: {} }
    const busy = createMachine({ id: 'm', type: 'parallel', states, on: { go: {} } })
    expect(() => runnerOf(busy)).toThrow('State "m" uses transitions of the root.')
  })

  it('a guard that asks about a state which does not exist', () => {
    const guard = stateIn('#m.three' as never)
    expect(() => runnerOf(withState(onGo({ guard, target: 'b' })))).toThrow(
      "Child state 'three' does not exist on 'm'",
    )
  })
})

describe('a step of the interpreter', () => {
  const resultOf = (state: object, type = 'go') => {
    const run = runnerOf(withState(state))
    return run.transition(run.initial({ n: 0 }), { type })
  }

  const note = (at: string) => ({ type: 'note', params: { at } })
  const GOES = note('goes')

  it.each<[string, go: object, goOfParent: object]>([
    ['to itself, and enters it again', { target: 'x', reenter: true, actions: GOES }, {}],
    ['from around it to another state', {}, { target: '.y', actions: GOES }],
  ])('leaves and enters states in the order of XState: %s', (_, go, goOfParent) => {
    const leaf = (name: string) => ({ entry: note(`enters ${name}`), exit: note(`leaves ${name}`) })
    const onGoIf = (transition: object) =>
      Object.keys(transition).length === 0 ? {} : { on: { go: transition } }
    const box = {
      id: 'box',
      ...leaf('box'),
      ...onGoIf(goOfParent),
      initial: 'x',
      states: { x: { ...leaf('x'), ...onGoIf(go) }, y: leaf('y') },
    }
    const other = { initial: 'u', states: { u: { ...leaf('u'), on: { go: 'v' } }, v: leaf('v') } }
    const machine = chartOf({ states: { one: { initial: 'box', states: { box } }, other } })
    const value = { one: { box: 'x' }, other: 'u' }
    const snapshot = machine.resolveState({ value, context: { n: 0 } })
    const [next, actions] = xstateTransition(machine, snapshot, { type: 'go' } as never)
    const run = runnerOf(machine)
    const after = run.transition(run.initial({ n: 0 }), { type: 'go' })
    expect(after.actions).toEqual(effects(actions))
    expect(after.leaves.map(({ key }) => key)).toEqual([next.value.one.box, next.value.other])
  })

  it('begins with the initial event of XState', () => {
    const entry = assign({ n: ({ event }) => (event.type === 'xstate.init' ? 7 : 0) })
    const { context, actions } = runnerOf(withState({ entry })).initial({ n: 0 })
    expect([context, actions]).toEqual([{ n: 7 }, []])
  })

  it('has as many microsteps as the machine allows, and no more', () => {
    const countUpTo = (limit: number) => ({
      on: {
        go: { actions: raise({ type: 'x' }) },
        x: {
          guard: { type: 'isBelow', params: { limit } },
          actions: ['increment', raise({ type: 'x' })],
        },
      },
    })
    expect(resultOf(countUpTo(8)).context).toEqual({ n: 8 })
    expect(() => resultOf(countUpTo(9))).toThrow(
      'The machine "m" does not reach a resting state within 10 microsteps.',
    )
  })

  it('knows events whose names only look like special ones', () => {
    const on = { 'rated*5': 'b', 'my.xstate.done': 'b' }
    for (const type of Object.keys(on))
      expect(resultOf({ on }, type).leaves[0]?.id, type).toBe('m.one.b')
  })

  it('is accepted if a state has a transition for it that is allowed, even one that does nothing', () => {
    const on = { go: {}, stay: { guard: 'isOdd' } }
    const run = runnerOf(withState({ on }))
    const [even, odd] = [run.initial({ n: 0 }), run.initial({ n: 1 })]
    const accepted = [even, odd].map((at) =>
      ['go', 'stay', 'leave'].filter((type) => run.accepts(at, { type })),
    )
    expect(accepted).toEqual([['go'], ['go', 'stay']])
  })
})

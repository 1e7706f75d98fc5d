// A feature outside the subset must fail when the machine is compiled. Ignored silently, it would
// lead to wrong states later.
import { describe, expect, it } from 'vitest'
import {
  and,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  forwardTo,
  fromPromise,
  log,
  not,
  or,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate'
import { compile } from './compile.ts'

const machineSetup = setup({
  types: { context: {} as { readonly n: number } },
  guards: {
    isOdd: ({ context }) => context.n % 2 === 1,
    isRecursive: and(['isOdd', 'isRecursive'] as never),
    isAlias: 'isOdd' as never,
  },
  actions: { logIt: log('x'), note: () => {} },
  delays: { short: 10 as never },
})

/** A machine whose state `m.one.a` has these properties. */
const withState = (state: object) =>
  machineSetup.createMachine({
    id: 'm',
    context: { n: 0 },
    type: 'parallel',
    states: {
      one: { initial: 'a', states: { a: state, b: {} } },
      two: { initial: 'c', states: { c: {}, d: {} } },
    },
  } as never)

const stateWithGuard = (guard: unknown): object => ({ on: { go: { target: 'b', guard } } })
const stateWithAction = (action: unknown): object => ({ on: { go: { actions: ['note', action] } } })
const unknownCheck = (): never => {
  throw new Error('It asks for more than a guard may.')
}
const notOurs = Object.assign(() => true, { check: () => true, guards: ['isOdd'] })

const unknownGuard = (guard: string) =>
  `the guard "${guard}", which is not implemented as a function`
const unknownDelay = (name: string) => `the delay "${name}", which has no implementation`
const BUILT_IN_GUARD = 'a built-in guard other than and, or, not and stateIn'

describe('compile', () => {
  it.each<[feature: string, object]>([
    ['a history state', { initial: 'b', states: { b: {}, h: { type: 'history' } } }],
    ['a parallel state without regions', { type: 'parallel' }],
    ['an invoked actor', { invoke: { src: fromPromise(async () => 1) } }],
    ['the wildcard event "*"', { on: { '*': 'b' } }],
    ['the wildcard event "pay.*"', { on: { 'pay.*': 'b' } }],
    ['a transition with several targets', { on: { go: { target: ['b', '#m.two.d'] } } }],
    ['a transition with several targets', { always: { target: ['b', '#m.two.d'] } }],
    ['a transition with several targets', { after: { 5: { target: ['b', '#m.two.d'] } } }],
    ['a final state', { type: 'final' }],
    [
      'actions of its initial state',
      { initial: { target: 'b', actions: 'note' }, states: { b: {} } },
    ],
    [unknownGuard('isUnknown'), stateWithGuard('isUnknown')],
    [unknownGuard('isUnknown'), stateWithGuard({ type: 'isUnknown', params: {} })],
    [unknownGuard('isUnknown'), stateWithGuard(not('isUnknown'))],
    [unknownGuard('isUnknown'), stateWithGuard(or(['isOdd', and(['isUnknown'])]))],
    [unknownGuard('isAlias'), stateWithGuard('isAlias')],
    ['the guard "isRecursive", which refers to itself', stateWithGuard('isRecursive')],
    [BUILT_IN_GUARD, stateWithGuard(notOurs)],
    [BUILT_IN_GUARD, stateWithGuard(Object.assign(() => true, { check: () => true }))],
    [BUILT_IN_GUARD, stateWithGuard(Object.assign(() => true, { check: true, guards: ['isOdd'] }))],
    [
      BUILT_IN_GUARD,
      stateWithGuard(Object.assign(() => true, { check: () => unknownCheck(), guards: ['isOdd'] })),
    ],
    ['an action without a name', stateWithAction(() => {})],
    ['an action without a name', { entry: () => {} }],
    ['an action without a name', { exit: () => {} }],
    ['the action "xstate.log"', stateWithAction('logIt')],
    ['the action "xstate.log"', stateWithAction({ type: 'logIt' })],
    ['the action "xstate.emit"', stateWithAction(emit({ type: 'x' }))],
    ['the action "xstate.enqueueActions"', stateWithAction(enqueueActions(() => {}))],
    ['the action "xstate.sendTo"', stateWithAction(sendTo('other', { type: 'x' }))],
    ['the action "xstate.sendTo"', stateWithAction(sendParent({ type: 'x' }))],
    ['the action "xstate.sendTo"', stateWithAction(forwardTo('other'))],
    ['the action "xstate.spawnChild"', stateWithAction(spawnChild('other'))],
    ['the action "xstate.stopChild"', stateWithAction(stopChild('other'))],
    ['raise with go', stateWithAction(raise('go' as never))],
    ['raise with undefined', stateWithAction(raise(undefined as never))],
    [unknownDelay('long'), stateWithAction(raise({ type: 'go' }, { delay: 'long' as never }))],
    [unknownDelay('toString'), { after: { toString: 'b' } }],
  ])('refuses %s', (feature, state) => {
    const place = feature === 'a history state' ? 'm.one.a.h' : 'm.one.a'
    expect(() => compile(withState(state))).toThrow(
      `State "${place}" uses ${feature}. compile() does not support this. See the subset in docs/statechart-compiler.md.`,
    )
  })

  it.each([undefined, null])(
    'refuses a machine of an old xstate, whose options are %s, and says which xstate it expects',
    (options) => {
      const { root, id, implementations } = createMachine({
        id: 'm',
        initial: 'a',
        states: { a: {} },
      })
      expect(() =>
        compile({ root, id, implementations, options, transition: () => {} } as never),
      ).toThrow(
        `The machine "m" has no options (got ${options}). compile() expects a machine of xstate 5.33 or later: update xstate.`,
      )
    },
  )

  it('refuses a guard that asks about a state which does not exist', () => {
    expect(() => compile(withState(stateWithGuard(stateIn('#m.three' as never))))).toThrow(
      "Child state 'three' does not exist on 'm'",
    )
  })

  it.each<[feature: string, object]>([
    [
      'and, or, not and stateIn',
      stateWithGuard(and([or(['isOdd', not('isOdd')]), stateIn('#m.one.b' as never)])),
    ],
    ['a named delay', { after: { short: 'b' } }],
    ['a guard without a name', stateWithGuard(() => true)],
    ['an event that ends with a star', { on: { 'rated5*': 'b' } }],
    ['raise with a function', stateWithAction(raise(() => ({ type: 'go' })))],
    ['cancel', stateWithAction(cancel('timer'))],
    ['an action without an implementation', stateWithAction('isNotImplemented')],
  ])('accepts %s', (_, state) => {
    expect(() => compile(withState(state))).not.toThrow()
  })
})

it.each(['self', 'spawn', 'system'] as const)(
  'a function of the machine that reads %s throws, because there are no actors',
  (name) => {
    const machine = createMachine({
      context: { n: 0 },
      initial: 'a',
      states: { a: { on: { go: { guard: (scope) => (scope as never)[name] === 1 } } } },
    })
    const compiled = compile(machine)
    expect(() => compiled.transition(compiled.initial({ n: 0 }), { type: 'go' })).toThrow(
      `A function of the machine reads "${name}", but a compiled machine has no actors.`,
    )
  },
)

// Compiles actions and guards to functions of the step in progress, so that a name is looked up
// once and an unsupported feature fails before the first event.
import {
  type AnyStateMachine,
  type AnyStateNode,
  type EventObject,
  type MachineContext,
  matchesState,
  type StateValue,
} from 'xstate'
import { refuse } from './refuse.ts'

/** The parts of an XState machine that the compiler reads. */
export type MachineParts = Pick<
  AnyStateMachine,
  'id' | 'root' | 'options' | 'implementations' | 'getStateNodeById'
>

/**
 * An effect for the host: a named action, or XState's own `xstate.raise` with `{ event, id, delay
 * }` for a timer and `xstate.cancel` with `{ sendId }`. A raise without delay is not listed: the
 * step has already handled its event.
 */
export type MachineAction = {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

const refuseActor = (name: string): never => {
  throw new Error(
    `A function of the machine reads "${name}", but a compiled machine has no actors.`,
  )
}

/** The argument of all functions of the machine. */
export class Scope {
  readonly context: MachineContext
  readonly event: EventObject

  constructor(context: MachineContext, event: EventObject) {
    this.context = context
    this.event = event
  }

  get self(): never {
    return refuseActor('self')
  }

  get spawn(): never {
    return refuseActor('spawn')
  }

  get system(): never {
    return refuseActor('system')
  }
}

export type Run = {
  scope: Scope
  readonly actions: MachineAction[]
  /** The events raised without delay, oldest first. */
  readonly raised: EventObject[]
}

export type Perform = (run: Run) => void

/**
 * The part of the active states that guards may ask about. `nodes` holds the states at rest and all
 * that contain them.
 */
export type Situation = { readonly nodes: ReadonlySet<AnyStateNode>; readonly value: StateValue }
export type Guard = (scope: Scope, active: Situation) => boolean

type ValueReader = (scope: Scope, params: unknown) => unknown
type Params = (scope: Scope) => unknown
type NamedReference = { readonly type: string; readonly params?: unknown }
type BuiltInAction = {
  readonly type: string
  readonly assignment?: Readonly<Record<string, unknown>> | ValueReader
  readonly event?: unknown
  readonly id?: string
  readonly delay?: unknown
  readonly sendId?: unknown
}

/**
 * XState's private shape of a built-in action: a function with `resolve`, its `type` and its
 * arguments. There is no public way to read the arguments. Null: an ordinary function.
 */
const builtInActionOf = (action: unknown): BuiltInAction | null =>
  typeof action === 'function' && 'resolve' in action ? (action as unknown as BuiltInAction) : null

// XState takes most arguments as a value or as a function that returns it.
const readerOf = (value: unknown): ValueReader =>
  typeof value === 'function' ? (value as ValueReader) : () => value

const NO_PARAMS: MachineAction['params'] = {}

const compileAssign = (
  assignment: NonNullable<BuiltInAction['assignment']>,
  params: Params,
): Perform => {
  if (typeof assignment === 'function')
    return (run) => {
      const { context, event } = run.scope
      // XState's public type of an assignment: a function that returns a part of the context.
      const change = assignment(run.scope, params(run.scope)) as Partial<MachineContext>
      run.scope = new Scope({ ...context, ...change }, event)
    }
  const readers = Object.entries(assignment).map(([key, value]) => [key, readerOf(value)] as const)
  return (run) => {
    const { scope } = run
    const values = params(scope)
    const context: MachineContext = { ...scope.context }
    for (const [key, read] of readers) context[key] = read(scope, values)
    run.scope = new Scope(context, scope.event)
  }
}

/**
 * Actions change the run. Only assign, raise and cancel run here; every other named action is an
 * effect that the host runs after the step. Compiles the actions of one machine. `place` is the
 * state that the action belongs to, for the error message.
 */
export const actionCompiler = (
  machine: MachineParts,
): ((action: unknown, place: string) => Perform) => {
  const delayOf = (delay: unknown, place: string): ValueReader => {
    if (typeof delay !== 'string') return readerOf(delay)
    // XState would raise such an event at once.
    if (!Object.hasOwn(machine.implementations.delays, delay))
      return refuse(place, `the delay "${delay}", which has no implementation`)
    return readerOf(machine.implementations.delays[delay])
  }

  const compileRaise = (
    { event, id, delay }: BuiltInAction,
    params: Params,
    place: string,
  ): Perform => {
    if (typeof event !== 'function' && typeof event !== 'object')
      return refuse(place, `raise with ${String(event)}`)
    const [readEvent, readDelay] = [readerOf(event), delayOf(delay, place)]
    return (run) => {
      const values = params(run.scope)
      // XState's public type of raise demands an event, or a function that returns one.
      const raised = readEvent(run.scope, values) as EventObject
      const wait = readDelay(run.scope, values)
      if (typeof wait === 'number')
        run.actions.push({ type: 'xstate.raise', params: { event: raised, id, delay: wait } })
      else run.raised.push(raised)
    }
  }

  const compileCancel = ({ sendId }: BuiltInAction, params: Params): Perform => {
    const read = readerOf(sendId)
    return ({ scope, actions }) =>
      void actions.push({ type: 'xstate.cancel', params: { sendId: read(scope, params(scope)) } })
  }

  const compileBuiltIn = (action: BuiltInAction, params: Params, place: string): Perform => {
    switch (action.type) {
      case 'xstate.assign':
        return compileAssign(action.assignment ?? {}, params)
      case 'xstate.raise':
        return compileRaise(action, params, place)
      case 'xstate.cancel':
        return compileCancel(action, params)
      default:
        return refuse(place, `the action "${action.type}"`)
    }
  }

  const compileNamed = ({ type, params }: NamedReference, place: string): Perform => {
    const builtIn = builtInActionOf(machine.implementations.actions[type])
    const read: Params = typeof params === 'function' ? (scope) => params(scope) : () => params
    if (builtIn !== null) return compileBuiltIn(builtIn, read, place)
    // XState's public type of params is a record or undefined.
    const effectWith = (values: unknown): MachineAction => ({
      type,
      params: (values ?? NO_PARAMS) as MachineAction['params'],
    })
    if (typeof params === 'function')
      return (run) => void run.actions.push(effectWith(params(run.scope)))
    const effect = effectWith(params)
    return (run) => void run.actions.push(effect)
  }

  return (action, place) => {
    const builtIn = builtInActionOf(action)
    if (builtIn !== null) return compileBuiltIn(builtIn, () => undefined, place)
    if (typeof action === 'function') return refuse(place, 'an action without a name')
    // An action that is no function is a name, or an object with a name: XState's public type says
    // so.
    return compileNamed(
      typeof action === 'string' ? { type: action } : (action as NamedReference),
      place,
    )
  }
}

type BuiltInGuard = {
  readonly check: unknown
  readonly guards?: readonly unknown[]
  readonly stateValue?: StateValue
}

/**
 * XState's private shape of a built-in guard: a function with `check`, and with its arguments as
 * `guards` or `stateValue`. There is no public way to read them. Null: an ordinary function.
 */
const builtInGuardOf = (guard: unknown): BuiltInGuard | null =>
  typeof guard === 'function' && 'check' in guard ? (guard as unknown as BuiltInGuard) : null

type Join = 'and' | 'or' | 'not'

// What `check` says about the guards [true, true], [true, false], [false, true] and [false, false].
const JOINS: Readonly<Record<string, Join>> = {
  'true false false false': 'and',
  'true true true false': 'or',
  'false false true true': 'not',
}
const [YES, NO] = [() => true, () => false]
const PROBES = [YES, NO].flatMap((first) => [YES, NO].map((second) => [first, second]))

/**
 * Recognizes and, or and not by what they answer. Another copy of xstate has other functions, and
 * bundlers rename them. Null: it is none of them.
 */
const joinOf = ({ check }: BuiltInGuard): Join | null => {
  if (typeof check !== 'function') return null
  try {
    return JOINS[PROBES.map((guards) => check({ machine: {} }, {}, { guards })).join(' ')] ?? null
  } catch {
    return null
  }
}

/**
 * Compiles the guards of one machine. `place` is the state that the guard belongs to, for the error
 * message.
 */
export const guardCompiler = (
  machine: MachineParts,
): ((guard: unknown, place: string) => Guard) => {
  const compileStateIn = (value: StateValue): Guard => {
    if (typeof value !== 'string' || !value.startsWith('#'))
      return (_, active) => matchesState(value, active.value)
    const node = machine.getStateNodeById(value)
    return (_, active) => active.nodes.has(node)
  }

  const compileBuiltIn = (guard: BuiltInGuard, place: string, outer: readonly string[]): Guard => {
    if (guard.stateValue !== undefined) return compileStateIn(guard.stateValue)
    const join = guard.guards === undefined ? null : joinOf(guard)
    if (join === null) return refuse(place, 'a built-in guard other than and, or, not and stateIn')
    const guards = (guard.guards ?? []).map((each) => compile(each, place, outer))
    if (join === 'and') return (scope, active) => guards.every((holds) => holds(scope, active))
    if (join === 'or') return (scope, active) => guards.some((holds) => holds(scope, active))
    return (scope, active) => !guards[0]?.(scope, active)
  }

  const compileNamed = (
    { type, params }: NamedReference,
    place: string,
    outer: readonly string[],
  ): Guard => {
    if (outer.includes(type)) return refuse(place, `the guard "${type}", which refers to itself`)
    const named = machine.implementations.guards[type] as unknown
    if (typeof named !== 'function')
      return refuse(place, `the guard "${type}", which is not implemented as a function`)
    const builtIn = builtInGuardOf(named)
    if (builtIn !== null) return compileBuiltIn(builtIn, place, [...outer, type])
    // An ordinary function has the type of a guard; XState checked it where the machine was set up.
    const condition = named as ValueReader
    if (typeof params !== 'function') return (scope) => Boolean(condition(scope, params))
    return (scope) => Boolean(condition(scope, params(scope)))
  }

  const compile = (guard: unknown, place: string, outer: readonly string[]): Guard => {
    const builtIn = builtInGuardOf(guard)
    if (builtIn !== null) return compileBuiltIn(builtIn, place, outer)
    if (typeof guard === 'function') return (scope) => Boolean(guard(scope, undefined))
    if (guard === undefined) return () => true
    // A guard that is no function is a name, or an object with a name: XState's public type says
    // so.
    return compileNamed(
      typeof guard === 'string' ? { type: guard } : (guard as NamedReference),
      place,
      outer,
    )
  }

  return (guard, place) => compile(guard, place, [])
}

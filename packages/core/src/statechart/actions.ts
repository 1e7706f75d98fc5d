// Compiles actions to functions that change the run. Only assign, raise and cancel run here; every other named
// action is an effect that the host runs after the step.
import type { EventObject, MachineContext } from 'xstate'
import { refuse } from './refuse.ts'
import { type Machine, type MachineAction, type Perform, Scope } from './run.ts'

type Read = (scope: Scope, params: unknown) => unknown
type Params = (scope: Scope) => unknown
type NamedAction = { readonly type: string; readonly params?: unknown }
type BuiltInAction = {
  readonly type: string
  readonly assignment?: Readonly<Record<string, unknown>> | Read
  readonly event?: unknown
  readonly id?: string
  readonly delay?: unknown
  readonly sendId?: unknown
}

/**
 * XState's private shape of a built-in action: a function with `resolve`, its `type` and its arguments. There is no public way
 * to read the arguments. Null: an ordinary function.
 */
const builtInOf = (action: unknown): BuiltInAction | null =>
  typeof action === 'function' && 'resolve' in action ? (action as unknown as BuiltInAction) : null

// XState takes most arguments as a value or as a function that returns it.
const readerOf = (given: unknown): Read => (typeof given === 'function' ? (given as Read) : () => given)

const NO_PARAMS: MachineAction['params'] = {}

const compileAssign = (assignment: NonNullable<BuiltInAction['assignment']>, params: Params): Perform => {
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
    const given = params(scope)
    const context: MachineContext = { ...scope.context }
    for (const [key, read] of readers) context[key] = read(scope, given)
    run.scope = new Scope(context, scope.event)
  }
}

/** Compiles the actions of one machine. `place` is the state that the action belongs to, for the error message. */
export const actionCompiler = (machine: Machine): ((action: unknown, place: string) => Perform) => {
  const delayOf = (delay: unknown, place: string): Read => {
    if (typeof delay !== 'string') return readerOf(delay)
    // XState would raise such an event at once.
    if (!Object.hasOwn(machine.implementations.delays, delay))
      return refuse(place, `the delay "${delay}", which has no implementation`)
    return readerOf(machine.implementations.delays[delay])
  }

  const compileRaise = ({ event, id, delay }: BuiltInAction, params: Params, place: string): Perform => {
    if (typeof event !== 'function' && typeof event !== 'object') return refuse(place, `raise with ${String(event)}`)
    const [readEvent, readDelay] = [readerOf(event), delayOf(delay, place)]
    return (run) => {
      const given = params(run.scope)
      // XState's public type of raise demands an event, or a function that returns one.
      const raised = readEvent(run.scope, given) as EventObject
      const wait = readDelay(run.scope, given)
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

  const compileNamed = ({ type, params }: NamedAction, place: string): Perform => {
    const builtIn = builtInOf(machine.implementations.actions[type])
    const read: Params = typeof params === 'function' ? (scope) => params(scope) : () => params
    if (builtIn !== null) return compileBuiltIn(builtIn, read, place)
    // XState's public type of params is a record or undefined.
    const effectWith = (given: unknown): MachineAction => ({
      type,
      params: (given ?? NO_PARAMS) as MachineAction['params'],
    })
    if (typeof params === 'function') return (run) => void run.actions.push(effectWith(params(run.scope)))
    const effect = effectWith(params)
    return (run) => void run.actions.push(effect)
  }

  return (action, place) => {
    const builtIn = builtInOf(action)
    if (builtIn !== null) return compileBuiltIn(builtIn, () => undefined, place)
    if (typeof action === 'function') return refuse(place, 'an action without a name')
    // An action that is no function is a name, or an object with a name: XState's public type says so.
    return compileNamed(typeof action === 'string' ? { type: action } : (action as NamedAction), place)
  }
}

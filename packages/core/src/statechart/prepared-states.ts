// Reads each state of a machine once: its actions, and which states its transitions leave and enter.
// What the interpreter does not know is refused here, when the machine is loaded, because a feature that
// is silently ignored would only show as a wrong state much later.
import type { AnyStateMachine, AnyStateNode, EventObject, MachineContext } from 'xstate'

/**
 * An effect for the host: a named action, or XState's own `xstate.raise` with `{ event, id, delay }`
 * for a timer and `xstate.cancel` with `{ sendId }`. A raise without delay is not listed: the step
 * has already handled its event.
 */
export type MachineAction = {
  readonly type: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The argument of all functions of the machine. */
type Scope = { readonly context: MachineContext; readonly event: EventObject }

/** A step in progress. */
export type Run = {
  scope: Scope
  readonly actions: MachineAction[]
  /** The events raised without delay, oldest first. */
  readonly raised: EventObject[]
}

/** Changes the run. */
export type Perform = (run: Run) => void

type Definition = NonNullable<AnyStateNode['always']>[number]
export type Transition = {
  readonly guard: Definition['guard']
  readonly actions: readonly Perform[]
  /** The innermost state around the target that stays active. Undefined: nothing is left. */
  readonly domain: AnyStateNode | undefined
  /** From outside to inside. The last one is the state at rest. */
  readonly entered: readonly AnyStateNode[]
}

export type PreparedState = {
  readonly on: ReadonlyMap<string, readonly Transition[]>
  readonly always: readonly Transition[]
  readonly entry: readonly Perform[]
  readonly exit: readonly Perform[]
}

/** XState's private shape of a guard: a name, or a function made by and, or, not or stateIn. */
type GuardParts = {
  readonly type?: string
  readonly params?: unknown
  readonly name?: 'and' | 'or' | 'not'
  readonly guards?: readonly unknown[]
  readonly stateValue?: unknown
}

/**
 * XState's private shape of an action: a name, or a function made by assign, raise or cancel, which
 * holds their arguments. An effect's function has none of this.
 */
type ActionParts = {
  readonly type?: string
  readonly params?: unknown
  readonly assignment?: object
  readonly event?: unknown
  readonly id?: string
  readonly delay?: unknown
  readonly sendId?: unknown
}

const withoutShorthand = (reference: unknown): unknown =>
  typeof reference === 'string' ? { type: reference } : (reference ?? {})

export const guardParts = (guard: unknown): GuardParts => withoutShorthand(guard) as GuardParts

export const actionParts = (action: unknown): ActionParts => withoutShorthand(action) as ActionParts

const refuse = (node: AnyStateNode, feature: string): never => {
  throw new Error(`State "${node.id}" uses ${feature}. The order's statechart cannot use it.`)
}

// XState takes most arguments as a value or as a function that returns it.
const resolveValue = (value: unknown, scope: Scope, params?: unknown): unknown =>
  typeof value === 'function' ? value(scope, params) : value

const mapValues = (record: object, change: (value: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))

/** The state and those around it, innermost first, up to `top` but without it. */
export const pathFrom = (
  node: AnyStateNode | undefined,
  top?: AnyStateNode,
): readonly AnyStateNode[] =>
  node === undefined || node === top ? [] : [node, ...pathFrom(node.parent, top)]

/** The states directly inside. */
export const childrenOf = ({ states }: AnyStateNode): readonly AnyStateNode[] =>
  Object.values(states)

/** The state, and the states inside it that are entered with it. */
export const withInitialStates = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...node.initial.target.flatMap(withInitialStates),
]

/** Throws if the state, without its actions and guards, uses an unknown feature. */
const checkState = (node: AnyStateNode): void => {
  const { root } = node.machine
  const regionOf = (state: AnyStateNode) => pathFrom(state, root).at(-1)
  const { always = [] } = node
  const transitions = [...node.transitions.values(), always].flat()
  const targets = transitions.flatMap(({ target = [] }) => target)
  const features = {
    'a root that is not parallel': node === root && node.type !== 'parallel',
    'transitions of the root': node === root && transitions.length > 0,
    'a parallel state below the root': node !== root && node.type === 'parallel',
    'a history state': node.type === 'history',
    'an invoked actor': node.invoke.length > 0,
    'actions of its initial state': node.initial.actions.length > 0,
    'a wildcard event or onDone': transitions.some(({ eventType }) =>
      /\*$|^xstate\.done/.test(eventType),
    ),
    'several targets': transitions.some(({ target = [] }) => target.length > 1),
    'a target in another region': targets.some((goal) => regionOf(goal) !== regionOf(node)),
    '`always` without a target': always.some(({ target }) => target === undefined),
  }
  for (const [feature, isUsed] of Object.entries(features)) if (isUsed) refuse(node, feature)
}

/** Throws an Error that names the state and the feature if the machine uses an unknown one. */
export const prepareStates = (
  machine: AnyStateMachine,
): ReadonlyMap<AnyStateNode, PreparedState> => {
  const { implementations } = machine
  const prepared = new Map<AnyStateNode, PreparedState>()

  const implementationOf = (
    kind: 'action' | 'guard' | 'delay',
    name: string,
    node: AnyStateNode,
  ): unknown =>
    implementations[`${kind}s`][name] ??
    refuse(node, `the ${kind} "${name}", which has no implementation`)

  const checkGuard = (guard: unknown, node: AnyStateNode): void => {
    const { type, guards = [], stateValue } = guardParts(guard)
    if (type !== undefined) implementationOf('guard', type, node)
    else if (guards.length === 0 && stateValue === undefined) refuse(node, 'a guard without a name')
    // Throws if there is no such state.
    if (stateValue !== undefined) machine.getStateNodeById(String(stateValue))
    for (const each of guards) checkGuard(each, node)
  }

  const assign = ({ assignment = {} }: ActionParts, params: unknown): Perform => {
    const changesOf =
      typeof assignment === 'function'
        ? assignment
        : (scope: Scope, values: unknown) =>
            mapValues(assignment, (value) => resolveValue(value, scope, values))
    return (run) => {
      const { context, event } = run.scope
      const changes = changesOf(run.scope, resolveValue(params, run.scope))
      run.scope = { event, context: { ...context, ...changes } }
    }
  }

  const raise = (
    { event, id, delay }: ActionParts,
    params: unknown,
    node: AnyStateNode,
  ): Perform => {
    const wait = typeof delay === 'string' ? implementationOf('delay', delay, node) : delay
    return ({ scope, actions, raised }) => {
      const values = resolveValue(params, scope)
      // XState's public type of raise demands an event, or a function that returns one.
      const next = resolveValue(event, scope, values) as EventObject
      const milliseconds = resolveValue(wait, scope, values)
      if (milliseconds === undefined) raised.push(next)
      else actions.push({ type: 'xstate.raise', params: { event: next, id, delay: milliseconds } })
    }
  }

  const performOf = (reference: unknown, node: AnyStateNode): Perform => {
    const { type = '', params } = actionParts(reference)
    const isInline = typeof reference === 'function'
    const action = actionParts(isInline ? reference : implementationOf('action', type, node))
    switch (action.type) {
      case 'xstate.assign':
        return assign(action, params)
      case 'xstate.raise':
        return raise(action, params, node)
      case 'xstate.cancel':
        return ({ scope, actions }) => {
          const sendId = resolveValue(action.sendId, scope, resolveValue(params, scope))
          actions.push({ type: 'xstate.cancel', params: { sendId } })
        }
      case undefined:
        if (isInline) refuse(node, 'an action without a name')
        return ({ scope, actions }) => {
          // XState's public type of params is a record or undefined.
          const values = resolveValue(params, scope) as MachineAction['params'] | undefined
          actions.push({ type, params: values ?? {} })
        }
      default:
        return refuse(node, `the action "${action.type}"`)
    }
  }

  const transitionFrom =
    (source: AnyStateNode) =>
    ({ target: [target] = [], reenter, guard, actions }: Definition): Transition => {
      if (guard !== undefined) checkGuard(guard, source)
      const performs = { guard, actions: actions.map((action) => performOf(action, source)) }
      if (target === undefined) return { ...performs, domain: undefined, entered: [] }
      const [, ...around] = pathFrom(target)
      const [, ...aroundSource] = pathFrom(source)
      const staysInSource = !reenter && [target, ...around].includes(source)
      const domain = staysInSource ? source : around.find((outer) => aroundSource.includes(outer))
      const [, ...inside] = withInitialStates(target)
      return { ...performs, domain, entered: [...pathFrom(target, domain).toReversed(), ...inside] }
    }

  const prepare = (node: AnyStateNode): void => {
    checkState(node)
    const transitions = (definitions: readonly Definition[]) =>
      definitions.map(transitionFrom(node))
    prepared.set(node, {
      on: new Map(
        [...node.transitions].map(([type, definitions]) => [type, transitions(definitions)]),
      ),
      always: transitions(node.always ?? []),
      entry: node.entry.map((action) => performOf(action, node)),
      exit: node.exit.map((action) => performOf(action, node)),
    })
    childrenOf(node).forEach(prepare)
  }
  prepare(machine.root)
  return prepared
}

// The statechart as plain data. Every diagram is drawn from it, and other tools may load it.
// Nothing here depends on the order; captions, sections and wait actions come from each state's
// meta.
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { CheckoutMeta } from '../order/machine/state-meta.ts'
import { snakeCase } from '../order/model.ts'

/** The parameters of an action or a guard, by name, as text. */
export type Params = { readonly [param: string]: string }

/** Something that a transition does, by its name in the machine. */
export type NamedAction = {
  readonly name: string
  /**
   * The host runs an `effect`, an `assignment` changes the order, a `raise` sends an event to the
   * other regions.
   */
  readonly type: 'effect' | 'assignment' | 'raise'
  readonly params: Params
  /** The event that a `raise` sends. */
  readonly event?: string
}

/** The condition of a transition, by its name in the machine or made of others. */
export type NamedGuard =
  | { readonly type: 'named'; readonly name: string; readonly params: Params }
  /** True while the order is in that state. */
  | { readonly type: 'in'; readonly state: string }
  | { readonly type: 'and' | 'or' | 'not'; readonly of: readonly NamedGuard[] }

/** A state with everything that its meta says. Null: its meta does not say it. */
export type GraphState = {
  /** The dotted path in the machine. The root has the machine's own id. */
  readonly id: string
  readonly name: string
  /** The name that the API, the console and the history use. Several states may share one. */
  readonly wireName: string
  /**
   * An order waits in `resting` states, and stays in `final` ones. It leaves `passing` ones within the
   * step that enters them.
   */
  readonly kind: 'parallel' | 'compound' | 'resting' | 'final' | 'passing'
  readonly parent: string | null
  readonly initial: string | null
  readonly caption: string | null
  readonly section: string | null
  /** The answer of the wait endpoint. */
  readonly wait: string | null
  /** The answer of the identification endpoint, if it is another action. */
  readonly identification: string | null
  readonly entry: readonly NamedAction[]
  readonly exit: readonly NamedAction[]
}

/** What causes a transition: an event, a delay by its name, or the arrival in the state. */
export type Trigger =
  | { readonly type: 'event'; readonly event: string }
  | { readonly type: 'after'; readonly delay: string }
  | { readonly type: 'always' }

/** An arrow from a state, by the ids of the states. The first one whose guard holds is taken. */
export type GraphTransition = {
  readonly from: string
  readonly trigger: Trigger
  readonly guard: NamedGuard | null
  /** `null`: the state does not change. The event is only recorded, or ignored on purpose. */
  readonly to: string | null
  /** Leaves and enters again a state that is already active. */
  readonly reenter: boolean
  readonly actions: readonly NamedAction[]
}

/**
 * States in document order, outer before inner. Transitions of a state in the order in which they
 * are tried.
 */
export type Graph = {
  readonly id: string
  readonly states: readonly GraphState[]
  readonly transitions: readonly GraphTransition[]
}

const idOf = (node: AnyStateNode): string =>
  node.path.length === 0 ? node.id : node.path.join('.')

const childrenOf = (node: AnyStateNode): readonly AnyStateNode[] => Object.values(node.states)

const withDescendants = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...childrenOf(node).flatMap(withDescendants),
]

const kindOf = (node: AnyStateNode): GraphState['kind'] => {
  if (node.type === 'parallel' || node.type === 'final') return node.type
  if (childrenOf(node).length > 0) return 'compound'
  return node.meta === undefined ? 'passing' : 'resting'
}

const stateOf = (machine: AnyStateMachine, node: AnyStateNode): GraphState => {
  const meta: Partial<CheckoutMeta<string>> = node.meta ?? {}
  const initial: AnyStateNode | undefined =
    node.type === 'compound' ? node.initial.target?.[0] : undefined
  return {
    id: idOf(node),
    name: node.key,
    wireName: meta.onWire ?? snakeCase(node.key),
    kind: kindOf(node),
    parent: node.parent === undefined ? null : idOf(node.parent),
    initial: initial === undefined ? null : idOf(initial),
    caption: meta.caption ?? null,
    section: meta.section ?? null,
    wait: meta.wait ?? null,
    identification: meta.identification === meta.wait ? null : (meta.identification ?? null),
    entry: actionsOf(machine, node.entry),
    exit: actionsOf(machine, node.exit),
  }
}

const triggerOf = (node: AnyStateNode, eventType: string): Trigger => {
  if (eventType === '') return { type: 'always' }
  const timer = node.after.find((delayed) => delayed.eventType === eventType)
  return timer === undefined
    ? { type: 'event', event: eventType }
    : {
        type: 'after',
        delay: typeof timer.delay === 'number' ? `${timer.delay} ms` : String(timer.delay),
      }
}

const transitionsOf = (
  machine: AnyStateMachine,
  node: AnyStateNode,
): readonly GraphTransition[] => {
  const definitions = [...(node.always ?? []), ...[...node.transitions.values()].flat()]
  return definitions.map(({ eventType, guard, target, reenter, actions }) => ({
    from: idOf(node),
    trigger: triggerOf(node, eventType),
    guard: guard === undefined ? null : guardOf(guard, (id) => idOf(machine.getStateNodeById(id))),
    to: target?.[0] === undefined ? null : idOf(target[0]),
    reenter,
    actions: actionsOf(machine, actions),
  }))
}

/**
 * The states and transitions of any XState machine, in document order. Throws if a guard or an
 * action has no name.
 */
export const graphOf = (machine: AnyStateMachine): Graph => {
  const nodes = withDescendants(machine.root)
  return {
    id: machine.id,
    states: nodes.map((node) => stateOf(machine, node)),
    transitions: nodes.flatMap((node) => transitionsOf(machine, node)),
  }
}

/** The states directly inside the state with this id, in document order. */
export const childStates = (graph: Graph, parent: string): readonly GraphState[] =>
  graph.states.filter((state) => state.parent === parent)

/**
 * XState represents a joint guard or a resolved action as a function with properties, so functions
 * count as records too.
 */
const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  (typeof value === 'object' || typeof value === 'function') && value !== null

const paramsOf = (params: unknown): Params =>
  isRecord(params)
    ? Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
    : {}

const actionOf = (machine: AnyStateMachine, name: string, params: Params): NamedAction => {
  const implementation: unknown = machine.implementations.actions[name]
  const type = isRecord(implementation) ? implementation.type : undefined
  if (type === 'xstate.assign') return { name, type: 'assignment', params }
  if (type === 'xstate.raise' && isRecord(implementation) && isRecord(implementation.event)) {
    return { name, type: 'raise', params, event: String(implementation.event.type) }
  }
  return { name, type: 'effect', params }
}

// XState arms and disarms timers by actions of its own. The graph shows a timer as a trigger
// instead.
const isTimerAction = (action: unknown): boolean =>
  isRecord(action) && ('delay' in action || 'sendId' in action)

/**
 * Guards and actions have parameters, which diagrams show as text. XState's definitions are
 * untyped, so they are checked here.
 */
const actionsOf = (machine: AnyStateMachine, actions: readonly unknown[]): readonly NamedAction[] =>
  actions
    .filter((action) => !isTimerAction(action))
    .map((action) => {
      if (typeof action === 'string') return actionOf(machine, action, {})
      if (isRecord(action) && typeof action !== 'function' && typeof action.type === 'string') {
        return actionOf(machine, action.type, paramsOf(action.params))
      }
      throw new Error(
        'An action without a name cannot be drawn; name it in the setup of the machine.',
      )
    })

const isCombination = (name: unknown): name is 'and' | 'or' | 'not' =>
  name === 'and' || name === 'or' || name === 'not'

/**
 * XState's guards are functions, which no diagram can show. Here a guard is data: name, parameters,
 * and joins of guards. `stateOf` converts the argument of `stateIn`, without its `#`, to the
 * state's id in the graph.
 */
const guardOf = (guard: unknown, stateOf: (id: string) => string): NamedGuard => {
  if (typeof guard === 'string') return { type: 'named', name: guard, params: {} }
  if (isRecord(guard)) {
    if (typeof guard.type === 'string')
      return { type: 'named', name: guard.type, params: paramsOf(guard.params) }
    if (typeof guard.stateValue === 'string')
      return { type: 'in', state: stateOf(guard.stateValue.replace(/^#/, '')) }
    if (isCombination(guard.name) && Array.isArray(guard.guards)) {
      return { type: guard.name, of: guard.guards.map((one) => guardOf(one, stateOf)) }
    }
  }
  throw new Error('A guard without a name cannot be drawn; name it in the setup of the machine.')
}

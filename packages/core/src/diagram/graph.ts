// The statechart as plain data. Every diagram is drawn from it, and other tools may load it.
// It draws any machine: sections and wait actions come from each state's meta. Our states have their
// captions in state-words.ts.
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { orderMachine } from '../order/machine/order-machine.ts'
import type { CheckoutMeta } from '../order/machine/state-meta.ts'
import { snakeCase } from '../protocol/scalars.ts'
import { wordsOf } from '../protocol/state-words.ts'
import { actionParts, childrenOf, guardParts } from '../statechart/prepared-states.ts'

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
export type GraphTrigger =
  | { readonly type: 'event'; readonly event: string }
  | { readonly type: 'after'; readonly delay: string }
  | { readonly type: 'always' }

/** An arrow from a state, by the ids of the states. The first one whose guard holds is taken. */
export type GraphTransition = {
  readonly from: string
  readonly trigger: GraphTrigger
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

const withDescendants = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...childrenOf(node).flatMap(withDescendants),
]

const kindOf = (node: AnyStateNode): GraphState['kind'] => {
  if (node.type === 'parallel' || node.type === 'final' || node.type === 'compound')
    return node.type
  return node.meta === undefined ? 'passing' : 'resting'
}

const stateOf = (node: AnyStateNode): GraphState => {
  const meta: Partial<CheckoutMeta> = node.meta ?? {}
  const wireName = meta.onWire ?? snakeCase(node.key)
  const initial = node.type === 'compound' ? node.initial.target[0] : undefined
  return {
    id: idOf(node),
    name: node.key,
    wireName,
    kind: kindOf(node),
    parent: node.parent === undefined ? null : idOf(node.parent),
    initial: initial === undefined ? null : idOf(initial),
    caption: (node.meta && (meta.caption ?? wordsOf(node.path[0], wireName))) ?? null,
    section: meta.section ?? null,
    wait: meta.wait ?? null,
    identification: meta.identification ?? null,
    entry: actionsOf(node, node.entry),
    exit: actionsOf(node, node.exit),
  }
}

const triggerOf = (node: AnyStateNode, eventType: string): GraphTrigger => {
  if (eventType === '') return { type: 'always' }
  const timer = node.after.find((delayed) => delayed.eventType === eventType)
  if (timer === undefined) return { type: 'event', event: eventType }
  const delay = typeof timer.delay === 'number' ? `${timer.delay} ms` : String(timer.delay)
  return { type: 'after', delay }
}

const transitionsOf = (node: AnyStateNode): readonly GraphTransition[] =>
  [...(node.always ?? []), ...[...node.transitions.values()].flat()].map(
    ({ eventType, guard, target: [target] = [], reenter, actions }) => ({
      from: idOf(node),
      trigger: triggerOf(node, eventType),
      guard: guard === undefined ? null : guardOf(node, guard),
      to: target === undefined ? null : idOf(target),
      reenter,
      actions: actionsOf(node, actions),
    }),
  )

/**
 * The states and transitions of any XState machine, in document order. Throws if a guard or an
 * action has no name.
 */
export const graphOf = ({ id, root }: AnyStateMachine): Graph => {
  const nodes = withDescendants(root)
  return { id, states: nodes.map(stateOf), transitions: nodes.flatMap(transitionsOf) }
}

/** The states directly inside the state with this id, in document order. */
export const childStates = (graph: Graph, parent: string): readonly GraphState[] =>
  graph.states.filter((state) => state.parent === parent)

const paramsOf = (params: unknown): Params =>
  Object.fromEntries(Object.entries(Object(params)).map(([name, value]) => [name, String(value)]))

/**
 * The actions by their names and parameters. XState arms and disarms timers by actions of its own,
 * which the graph shows as triggers instead.
 */
const actionsOf = (node: AnyStateNode, actions: readonly unknown[]): readonly NamedAction[] =>
  actions.flatMap((action): readonly NamedAction[] => {
    const { type: name, params: values, ...parts } = actionParts(action)
    if ('delay' in parts || 'sendId' in parts) return []
    if (typeof action === 'function' || name === undefined)
      throw new Error(
        'An action without a name cannot be drawn; name it in the setup of the machine.',
      )
    const { type, event } = actionParts(node.machine.implementations.actions[name])
    const params = paramsOf(values)
    if (type === 'xstate.assign') return [{ name, type: 'assignment', params }]
    if (type === 'xstate.raise')
      return [{ name, type: 'raise', params, event: String(Object(event).type) }]
    return [{ name, type: 'effect', params }]
  })

/** XState's guards are functions, which no diagram can show. Here a guard is data. */
const guardOf = (node: AnyStateNode, guard: unknown): NamedGuard => {
  const { type, params, name, guards, stateValue } = guardParts(guard)
  if (type !== undefined) return { type: 'named', name: type, params: paramsOf(params) }
  if (stateValue !== undefined)
    return { type: 'in', state: idOf(node.machine.getStateNodeById(String(stateValue))) }
  if (name !== undefined && guards !== undefined)
    return { type: name, of: guards.map((each) => guardOf(node, each)) }
  throw new Error('A guard without a name cannot be drawn; name it in the setup of the machine.')
}

/** The order's own statechart, with its three regions. */
export const orderGraph: Graph = graphOf(orderMachine)

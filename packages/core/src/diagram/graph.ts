// The statechart as plain data: what every picture of it is drawn from, and what a reader's own tool may load.
// Nothing here knows the order; captions, sections and wait actions come from each state's meta.
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { StateMeta } from '../order/order-setup.ts'
import { actionsOf, type NamedAction } from './named-action.ts'
import { guardOf, type NamedGuard } from './named-guard.ts'

/** `resting` states are where an order waits; `passing` ones are left within the step that enters them. */
type StateKind = 'parallel' | 'compound' | 'resting' | 'passing'

export type GraphState = {
  /** The path in the machine, dotted; the root goes by the machine's own id. */
  readonly id: string
  readonly name: string
  readonly kind: StateKind
  readonly parent: string | null
  readonly initial: string | null
  readonly caption: string | null
  readonly section: string | null
  /** What the wait endpoint answers. */
  readonly wait: string | null
  /** What the identification endpoint answers, where that is another action. */
  readonly identification: string | null
  readonly entry: readonly NamedAction[]
  readonly exit: readonly NamedAction[]
}

export type Trigger =
  | { readonly type: 'event'; readonly event: string }
  | { readonly type: 'after'; readonly delay: string }
  | { readonly type: 'always' }

export type GraphTransition = {
  readonly from: string
  readonly trigger: Trigger
  readonly guard: NamedGuard | null
  /** `null` stays where it is: the event is only remembered, or on purpose ignored. */
  readonly to: string | null
  /** Leaves and enters again a state it is already in. */
  readonly reenter: boolean
  readonly actions: readonly NamedAction[]
}

/** States in document order, an outer one before those within; transitions of a state in the order they are tried. */
export type Graph = {
  readonly id: string
  readonly states: readonly GraphState[]
  readonly transitions: readonly GraphTransition[]
}

type Definition = NonNullable<AnyStateNode['always']>[number]

const idOf = (node: AnyStateNode): string => (node.path.length === 0 ? node.id : node.path.join('.'))

const childrenOf = (node: AnyStateNode): readonly AnyStateNode[] => Object.values(node.states)

const withDescendants = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...childrenOf(node).flatMap(withDescendants),
]

const kindOf = (node: AnyStateNode): StateKind => {
  if (node.type === 'parallel') return 'parallel'
  if (childrenOf(node).length > 0) return 'compound'
  return node.meta === undefined ? 'passing' : 'resting'
}

const stateOf = (machine: AnyStateMachine, node: AnyStateNode): GraphState => {
  const meta: Partial<StateMeta> = node.meta ?? {}
  const initial: AnyStateNode | undefined = node.type === 'compound' ? node.initial.target?.[0] : undefined
  return {
    id: idOf(node),
    name: node.key,
    kind: kindOf(node),
    parent: node.parent === undefined ? null : idOf(node.parent),
    initial: initial === undefined ? null : idOf(initial),
    caption: meta.caption ?? null,
    section: meta.section ?? null,
    wait: meta.wait ?? null,
    identification: meta.identification ?? null,
    entry: actionsOf(machine, node.entry),
    exit: actionsOf(machine, node.exit),
  }
}

const triggerOf = (node: AnyStateNode, eventType: string): Trigger => {
  if (eventType === '') return { type: 'always' }
  const timer = node.after.find((delayed) => delayed.eventType === eventType)
  return timer === undefined
    ? { type: 'event', event: eventType }
    : { type: 'after', delay: typeof timer.delay === 'number' ? `${timer.delay} ms` : String(timer.delay) }
}

const transitionsOf = (machine: AnyStateMachine, node: AnyStateNode): readonly GraphTransition[] => {
  const definitions: readonly Definition[] = [...(node.always ?? []), ...[...node.transitions.values()].flat()]
  return definitions.map(({ eventType, guard, target, reenter, actions }) => ({
    from: idOf(node),
    trigger: triggerOf(node, eventType),
    guard: guard === undefined ? null : guardOf(guard, (id) => idOf(machine.getStateNodeById(id))),
    to: target?.[0] === undefined ? null : idOf(target[0]),
    reenter,
    actions: actionsOf(machine, actions),
  }))
}

export const graphOf = (machine: AnyStateMachine): Graph => {
  const nodes = withDescendants(machine.root)
  return {
    id: machine.id,
    states: nodes.map((node) => stateOf(machine, node)),
    transitions: nodes.flatMap((node) => transitionsOf(machine, node)),
  }
}

export const childStates = (graph: Graph, parent: string): readonly GraphState[] =>
  graph.states.filter((state) => state.parent === parent)

/** The state alone with all within, as a graph of its own. */
export const graphWithin = (graph: Graph, id: string): Graph => {
  const isWithin = (state: string) => state === id || state.startsWith(`${id}.`)
  return {
    id,
    states: graph.states
      .filter((state) => isWithin(state.id))
      .map((state) => (state.id === id ? { ...state, parent: null } : state)),
    transitions: graph.transitions.filter(({ from }) => isWithin(from)),
  }
}

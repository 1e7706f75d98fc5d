// The statechart as plain data. Every diagram is drawn from it, and other tools may load it.
// Nothing here depends on the order; captions, sections and wait actions come from each state's meta.
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { snakeCase } from '../order/machine/order-machine.ts'
import type { StateMeta } from '../order/machine/order-setup.ts'
import { actionsOf, guardOf, guardText, type NamedAction, type NamedGuard } from './guards-and-actions.ts'

/** An order waits in `resting` states. It leaves `passing` ones within the step that enters them. */
type StateKind = 'parallel' | 'compound' | 'resting' | 'passing'

export type GraphState = {
  /** The dotted path in the machine. The root has the machine's own id. */
  readonly id: string
  readonly name: string
  /** The name that the API, the console and the history use. Several states may share one. */
  readonly wireName: string
  readonly kind: StateKind
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

export type Trigger =
  | { readonly type: 'event'; readonly event: string }
  | { readonly type: 'after'; readonly delay: string }
  | { readonly type: 'always' }

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

/** States in document order, outer before inner. Transitions of a state in the order in which they are tried. */
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
    wireName: meta.name ?? snakeCase(node.key),
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

/** The state with all states inside it, as a separate graph. */
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

const triggerText = (trigger: Trigger): string => {
  switch (trigger.type) {
    case 'event':
      return trigger.event
    case 'after':
      return `after ${trigger.delay}`
    case 'always':
      return ''
  }
}

const isSameTrigger = (one: GraphTransition, other: GraphTransition): boolean =>
  one.from === other.from &&
  one.trigger.type === other.trigger.type &&
  triggerText(one.trigger) === triggerText(other.trigger)

/** True if the transition has no guard but competes with guarded ones for the same trigger: it is the fallback. */
const isFallback = ({ transitions }: Graph, transition: GraphTransition): boolean =>
  transition.guard === null && transitions.some((other) => other.guard !== null && isSameTrigger(other, transition))

/** `code.submitted [codeIsRight]`, `after idResult`, `[otherwise]`. */
const transitionText = (graph: Graph, transition: GraphTransition): string => {
  const guardLabel = transition.guard === null ? '' : `[${guardText(transition.guard)}]`
  const words = [triggerText(transition.trigger), isFallback(graph, transition) ? '[otherwise]' : guardLabel]
  return words.filter((word) => word !== '').join(' ')
}

type Arrow = { readonly from: string; readonly to: string; readonly labels: readonly string[] }

/**
 * All diagrams share the arrows between states, their labels, and the initial states. One arrow for each pair of states,
 * labelled with all transitions between them. Transitions without target are left out.
 */
export const arrowsOf = (graph: Graph): readonly Arrow[] => {
  const arrows = new Map<string, Arrow>()
  for (const transition of graph.transitions) {
    if (transition.to === null) continue
    const { from, to } = transition
    const key = `${from} ${to}`
    arrows.set(key, { from, to, labels: [...(arrows.get(key)?.labels ?? []), transitionText(graph, transition)] })
  }
  return [...arrows.values()]
}

/** The compound states that can start at their initial state. States that are only entered at an inner state are left out. */
export const initialStatesOf = (graph: Graph): readonly { readonly of: string; readonly at: string }[] => {
  const targets = new Set(graph.transitions.flatMap(({ to }) => (to === null ? [] : [to])))
  const startsAtInitial = (state: GraphState): boolean => {
    const parent = graph.states.find(({ id }) => id === state.parent)
    return (
      targets.has(state.id) ||
      parent === undefined ||
      parent.kind === 'parallel' ||
      (parent.initial === state.id && startsAtInitial(parent))
    )
  }
  return graph.states.flatMap((state) =>
    state.initial !== null && startsAtInitial(state) ? [{ of: state.id, at: state.initial }] : [],
  )
}

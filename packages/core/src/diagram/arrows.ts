// All diagrams share the arrows between states, their labels, and the initial states.
import type { Graph, GraphState, GraphTransition, Trigger } from './graph.ts'
import { guardText } from './guards-and-actions.ts'

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

/** Whether the transition has no guard but competes with guarded ones for the same trigger: it is the fallback. */
const isFallback = ({ transitions }: Graph, transition: GraphTransition): boolean =>
  transition.guard === null && transitions.some((other) => other.guard !== null && isSameTrigger(other, transition))

/** `code.submitted [codeIsRight]`, `after idResult`, `[otherwise]`. */
const transitionText = (graph: Graph, transition: GraphTransition): string => {
  const guardLabel = transition.guard === null ? '' : `[${guardText(transition.guard)}]`
  const words = [triggerText(transition.trigger), isFallback(graph, transition) ? '[otherwise]' : guardLabel]
  return words.filter((word) => word !== '').join(' ')
}

export type Arrow = { readonly from: string; readonly to: string; readonly labels: readonly string[] }

/** One arrow for each pair of states, labelled with all transitions between them. Transitions without target are left out. */
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

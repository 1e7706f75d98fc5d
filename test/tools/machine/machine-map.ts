// Makes a map of the statechart's transitions, so that an order's path can be found on it. States
// have their names on the wire.
import {
  childStates,
  type Graph,
  type GraphState,
  type GraphTransition,
  type NamedAction,
  type NamedGuard,
} from '@plazo/core/internal'
import type { Guide, StateCard } from '../../../packages/server/src/api/machine/machine-data.ts'
import type { MachineMap } from '../../../packages/server/src/api/machine/order-path.ts'
import { transitionWords } from './transition-words.ts'

const regionOf = ({ id }: GraphState): string => id.split('.')[0] ?? id

const triggerOf = ({ trigger }: GraphTransition): string => {
  if (trigger.type === 'always') return ''
  return trigger.type === 'event' ? trigger.event : `after ${trigger.delay}`
}

const requiredBy = (guard: NamedGuard | null): string | null =>
  guard?.type === 'named' ? (Object.values(guard.params)[0] ?? null) : null

/** The state and the boxes around it, from the inside out. */
const withParents = (graph: Graph, id: string | null): readonly GraphState[] => {
  const state = graph.states.find((each) => each.id === id)
  return state === undefined ? [] : [state, ...withParents(graph, state.parent)]
}

/** The state, and the states inside it in which it starts. */
const statesEntered = (graph: Graph, id: string): readonly GraphState[] => {
  const state = graph.states.find((each) => each.id === id)
  if (state === undefined) return []
  return state.initial === null ? [state] : [state, ...statesEntered(graph, state.initial)]
}

/** The effects of a transition by name. Assignments are the order's own bookkeeping. */
const causesOf = (
  graph: Graph,
  { from, actions }: GraphTransition,
  to: string,
): readonly string[] => {
  const [before, after] = [withParents(graph, from), withParents(graph, to)]
  const inner = statesEntered(graph, to).slice(1)
  const all: readonly NamedAction[] = [
    ...before.filter((state) => !after.includes(state)).flatMap(({ exit }) => exit),
    ...actions,
    ...[...after.filter((state) => !before.includes(state)).toReversed(), ...inner].flatMap(
      ({ entry }) => entry,
    ),
  ]
  return [
    ...new Set(
      all
        .filter(({ type }) => type === 'effect')
        .map(({ name, params }) => [name, ...Object.values(params)].join(' ')),
    ),
  ]
}

export const machineMapOf = (graph: Graph): MachineMap => {
  const leaves = graph.states.filter(({ id }) => childStates(graph, id).length === 0)
  const leafOf = (id: string): string => statesEntered(graph, id).at(-1)?.id ?? id
  return {
    states: leaves.map((state) => ({
      id: state.id,
      name: state.wireName,
      region: regionOf(state),
    })),
    transitions: leaves.flatMap((leaf) => {
      const boxes = withParents(graph, leaf.id).map(({ id }) => id)
      return graph.transitions.flatMap((transition) => {
        const { from, to, guard } = transition
        if (to === null || !boxes.includes(from)) return []
        return {
          from: leaf.id,
          end: leafOf(to),
          arrow: `${from} ${to}`,
          trigger: triggerOf(transition),
          requires: requiredBy(guard),
          causes: causesOf(graph, transition, to),
        }
      })
    }),
  }
}

/** A state’s name on the wire, or its id without its parents if several states share that name. */
export const stateTitle = (graph: Pick<Graph, 'states'>, id: string): string => {
  const state = graph.states.find((each) => each.id === id)
  const isShared =
    graph.states.filter(({ wireName, kind }) => kind === 'resting' && wireName === state?.wireName)
      .length > 1
  return state === undefined || (isShared && state.kind === 'resting')
    ? id.slice(id.lastIndexOf('.') + 1)
    : state.wireName
}

/** The cards of all states, in the order of the statechart. */
export const stateCardsOf = (
  graph: Graph,
  guides: ReadonlyMap<string, Guide>,
): readonly StateCard[] => {
  const cardsOf = (state: GraphState, depth: number): readonly StateCard[] => [
    {
      id: state.id,
      region: regionOf(state),
      depth,
      title: stateTitle(graph, state.id),
      caption: state.caption,
      wait: state.wait,
      section: state.section,
      guide: guides.get(state.id) ?? null,
      ways: graph.transitions
        .filter(({ from }) => from === state.id)
        .flatMap((transition) =>
          transition.to === null
            ? []
            : [
                {
                  words: transitionWords(graph, transition),
                  to: transition.to,
                  toTitle: stateTitle(graph, transition.to),
                },
              ],
        ),
    },
    ...childStates(graph, state.id).flatMap((child) => cardsOf(child, depth + 1)),
  ]
  return childStates(graph, graph.id).flatMap((region) =>
    childStates(graph, region.id).flatMap((state) => cardsOf(state, 0)),
  )
}

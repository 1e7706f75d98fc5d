// Makes the map of the statechart on which an order's way is found. The names of states are those on the wire.
import type { Graph, GraphState, GraphTransition, NamedGuard } from '@plazo/core/diagram'
import type { MachineMap } from './order-path.ts'

const regionOf = ({ id }: GraphState): string => id.split('.')[0] ?? id

const triggerOf = ({ trigger }: GraphTransition): string => {
  if (trigger.type === 'always') return ''
  return trigger.type === 'event' ? trigger.event : `after ${trigger.delay}`
}

const requiredBy = (guard: NamedGuard | null): string | null =>
  guard?.type === 'named' ? (Object.values(guard.params)[0] ?? null) : null

export const machineMapOf = (graph: Graph): MachineMap => ({
  states: graph.states
    .filter(({ parent }) => parent !== null)
    .map((state) => ({
      id: state.id,
      name: state.wireName,
      region: regionOf(state),
      parent: state.parent === graph.id ? null : state.parent,
      initial: state.initial,
    })),
  transitions: graph.transitions.flatMap((transition) =>
    transition.to === null
      ? []
      : [
          {
            from: transition.from,
            to: transition.to,
            trigger: triggerOf(transition),
            requires: requiredBy(transition.guard),
          },
        ],
  ),
})

// Lays out a microstep: the exit actions, the transitions' own actions and the entry actions, in XState's order.
import type { AnyStateNode } from 'xstate'
import type { ActiveStates, KnownStates, Plan } from './active-states.ts'
import type { CompiledNodes, CompiledTransition } from './compiled-nodes.ts'
import type { Perform } from './run.ts'
import { entrySet, exitSet, inDocumentOrder, isCompleted, isLeaf, withoutConflicts } from './state-sets.ts'

const raiseDone =
  (node: AnyStateNode, output?: unknown): Perform =>
  ({ raised, scope }) => {
    const value = typeof output === 'function' ? output(scope) : output
    const event = { type: `xstate.done.state.${node.id}`, output: value }
    raised.push(event)
  }

/** The events that report that a final state has completed the states around it. `active`: those entered so far. */
const completions = (
  final: AnyStateNode,
  active: ReadonlySet<AnyStateNode>,
  completed: Set<AnyStateNode>,
): readonly Perform[] => {
  const { parent } = final
  const performs = parent?.type === 'compound' ? [raiseDone(parent, final.output)] : []
  let outer = parent?.type === 'parallel' ? parent : parent?.parent
  while (outer?.type === 'parallel' && !completed.has(outer) && isCompleted(outer, active)) {
    completed.add(outer)
    performs.push(raiseDone(outer))
    outer = outer.parent
  }
  return performs
}

type Planner = {
  /** The microstep that takes all these transitions together. */
  readonly plan: (from: ActiveStates, transitions: readonly CompiledTransition[]) => Plan
  /** The first microstep, which enters the root. */
  readonly planInitial: (root: AnyStateNode) => Plan
}

export const planner = (compiled: CompiledNodes, known: KnownStates): Planner => {
  const enter = (
    transitions: readonly Pick<CompiledTransition, 'source' | 'target' | 'reenter'>[],
    active: Set<AnyStateNode>,
  ): readonly Perform[] => {
    const { entered, byDefault } = entrySet(transitions)
    const completed = new Set<AnyStateNode>()
    return entered.flatMap((node) => {
      active.add(node)
      const { entry, initial } = compiled.of(node)
      return [
        ...entry,
        ...(byDefault.has(node) ? initial : []),
        ...(node.type === 'final' ? completions(node, active, completed) : []),
      ]
    })
  }

  const leave = (nodes: Iterable<AnyStateNode>): readonly Perform[] =>
    inDocumentOrder(nodes)
      .toReversed()
      .flatMap((node) => compiled.of(node).exit)

  // XState runs the exit actions of all states once the machine is done, but the states stay active.
  const finish = ({ nodes }: ActiveStates, isDone: boolean): readonly Perform[] => (isDone ? leave(nodes) : [])

  return {
    plan: (from, transitions) => {
      const kept = withoutConflicts(transitions, from.nodes)
      const left = new Set(kept.flatMap((transition) => [...exitSet(transition, from.nodes)]))
      // A set iterates in the order of insertion: states that are left and entered again come last.
      const active = new Set([...from.order, ...from.nodes].filter((node) => !left.has(node)))
      const entries = enter(kept, active)
      const isSame = [...active].every((node) => from.nodes.has(node))
      const next = isSame ? from : known.entered([...active].filter(isLeaf))
      return {
        performs: [
          ...leave(left),
          ...kept.flatMap(({ actions }) => actions),
          ...entries,
          // A done machine that takes a transition stays done.
          ...finish(next, from.isDone || next.isDone),
        ],
        next,
      }
    },
    planInitial: (root) => {
      const active = new Set<AnyStateNode>()
      const entries = enter([{ source: root, target: [root], reenter: true }], active)
      const next = known.entered([...active].filter(isLeaf))
      return { performs: [...entries, ...finish(next, next.isDone)], next }
    },
  }
}

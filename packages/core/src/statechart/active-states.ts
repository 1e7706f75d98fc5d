// Everything that can be computed ahead for a set of active states, kept by the set. Most of a transition's time would go into
// the states it leaves and enters; a server meets the same few sets again and again.
import type { AnyStateNode } from 'xstate'
import type { CompiledNodes, CompiledTransition } from './compiled-nodes.ts'
import type { Machine, Perform, Situation } from './run.ts'
import { alwaysOf, type Choice } from './selection.ts'
import {
  ancestorsOf,
  childrenOf,
  inDocumentOrder,
  isCompleted,
  isLeaf,
  orderAtRest,
  stateValueOf,
} from './state-sets.ts'

/** A microstep: all its actions in order, and the states that are active afterwards. */
export type Plan = { readonly performs: readonly Perform[]; readonly next: ActiveStates }

type Tables = {
  /** The resting states in the order in which XState asks them for `always`. */
  readonly order: readonly AnyStateNode[]
  readonly always: readonly (readonly CompiledTransition[])[]
  /** By event type; filled on first use. */
  readonly choices: Map<string, Choice>
  /** By the keys of the transitions; filled on first use. */
  readonly plans: Map<number | string, Plan>
}

export type ActiveStates = Situation &
  Tables & {
    /** The resting states in document order. */
    readonly leaves: readonly AnyStateNode[]
    readonly isDone: boolean
  }

export type KnownStates = {
  /** The active states of a configuration at rest. Throws if the leaves are not a complete configuration. */
  readonly atRest: (leaves: readonly AnyStateNode[]) => ActiveStates
  /** The active states within a step, whose leaves are in the order in which they were entered. */
  readonly entered: (order: readonly AnyStateNode[]) => ActiveStates
}

// A machine with many regions has very many sets of active states. Beyond this number all are forgotten and computed again.
const KNOWN_MAX = 4096

const withAncestors = (leaves: readonly AnyStateNode[]): ReadonlySet<AnyStateNode> =>
  new Set(leaves.flatMap((leaf) => [leaf, ...ancestorsOf(leaf)]))

const complete = (machine: Machine, leaves: readonly AnyStateNode[]): ReadonlySet<AnyStateNode> => {
  const nodes = withAncestors(leaves)
  const isComplete = (node: AnyStateNode): boolean => {
    const active = childrenOf(node).filter((child) => nodes.has(child))
    const expected = node.type === 'parallel' ? childrenOf(node).length : isLeaf(node) ? 0 : 1
    return active.length === expected && active.every(isComplete)
  }
  const areOwn = leaves.every((leaf) => leaf.machine === machine && isLeaf(leaf))
  if (areOwn && nodes.has(machine.root) && isComplete(machine.root)) return nodes
  const names = leaves.map(({ id }) => id).join(', ')
  throw new Error(
    `[${names}] is not a configuration of the machine "${machine.id}": list one atomic or final state for each active region.`,
  )
}

const keyOf = (nodes: readonly AnyStateNode[]): string => {
  let key = ''
  for (const { order } of nodes) key += `${order} `
  return key
}

export const knownStates = (machine: Machine, compiled: CompiledNodes): KnownStates => {
  /** By the leaves in document order. */
  const resting = new Map<string, ActiveStates>()
  /** By the leaves in the order of a step, where it differs. */
  const moving = new Map<string, ActiveStates>()

  const keep = (known: Map<string, ActiveStates>, key: string, states: ActiveStates): ActiveStates => {
    if (known.size >= KNOWN_MAX) {
      // Their plans lead to other active states, which would otherwise stay in memory too.
      for (const { plans } of known.values()) plans.clear()
      known.clear()
    }
    known.set(key, states)
    return states
  }

  const inOrder = (states: Omit<ActiveStates, keyof Tables>, order: ActiveStates['order']): ActiveStates => ({
    ...states,
    order,
    always: alwaysOf(order, compiled),
    choices: new Map(),
    plans: new Map(),
  })

  const restingIn = (nodes: ReadonlySet<AnyStateNode>): ActiveStates => {
    const order = orderAtRest(machine.root, nodes)
    const leaves = inDocumentOrder(order)
    const key = keyOf(leaves)
    const states = {
      leaves,
      nodes,
      value: stateValueOf(machine.root, nodes),
      isDone: isCompleted(machine.root, nodes),
    }
    return resting.get(key) ?? keep(resting, key, inOrder(states, order))
  }

  return {
    atRest: (leaves) => {
      const known = resting.get(keyOf(leaves))
      // States of another machine can have the same numbers.
      if (known?.leaves.every((leaf, index) => leaf === leaves[index])) return known
      return restingIn(complete(machine, leaves))
    },
    entered: (order) => {
      const states = restingIn(withAncestors(order))
      const key = keyOf(order)
      // The order has an effect only if two leaves have an `always`.
      if (states.always.length < 2 || key === keyOf(states.order)) return states
      return moving.get(key) ?? keep(moving, key, inOrder(states, order))
    },
  }
}

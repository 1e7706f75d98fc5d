// Most of a transition's time would go into finding the states that it leaves and enters. A server
// meets the same few sets of active states again and again, so everything that depends only on the
// set is computed once and cached.
import type { AnyStateNode } from 'xstate'
import type { MachineParts, Perform, Situation } from './actions-and-guards.ts'
import {
  alwaysOf,
  type Choice,
  type CompiledNodes,
  type CompiledTransition,
} from './compiled-nodes.ts'
import {
  ancestorsOf,
  childrenOf,
  entrySet,
  exitSet,
  inDocumentOrder,
  isLeaf,
  orderAtRest,
  stateValueOf,
  withoutConflicts,
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
  }

type KnownStates = {
  /**
   * The active states of a configuration at rest. Throws if the leaves are not a complete
   * configuration.
   */
  readonly atRest: (leaves: readonly AnyStateNode[]) => ActiveStates
  /** The active states within a step, whose leaves are in the order in which they were entered. */
  readonly entered: (order: readonly AnyStateNode[]) => ActiveStates
}

// A machine with many regions has very many sets of active states. Beyond this number all are
// forgotten and computed again.
const KNOWN_MAX = 4096

const withAncestors = (leaves: readonly AnyStateNode[]): ReadonlySet<AnyStateNode> =>
  new Set(leaves.flatMap((leaf) => [leaf, ...ancestorsOf(leaf)]))

const complete = (
  machine: MachineParts,
  leaves: readonly AnyStateNode[],
): ReadonlySet<AnyStateNode> => {
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
    `[${names}] is not a configuration of the machine "${machine.id}": list one atomic state for each active region.`,
  )
}

const keyOf = (nodes: readonly AnyStateNode[]): string => {
  let key = ''
  for (const { order } of nodes) key += `${order} `
  return key
}

export const knownStates = (machine: MachineParts, compiled: CompiledNodes): KnownStates => {
  /** By the leaves in document order. */
  const resting = new Map<string, ActiveStates>()
  /** By the leaves in the order of a step, where it differs. */
  const moving = new Map<string, ActiveStates>()

  const keep = (
    cache: Map<string, ActiveStates>,
    key: string,
    states: ActiveStates,
  ): ActiveStates => {
    if (cache.size >= KNOWN_MAX) {
      // Their plans lead to other active states, which would otherwise stay in memory too.
      for (const { plans } of cache.values()) plans.clear()
      cache.clear()
    }
    cache.set(key, states)
    return states
  }

  const inOrder = (
    states: Omit<ActiveStates, keyof Tables>,
    order: ActiveStates['order'],
  ): ActiveStates => ({
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
    }
    return resting.get(key) ?? keep(resting, key, inOrder(states, order))
  }

  return {
    atRest: (leaves) => {
      const cached = resting.get(keyOf(leaves))
      // States of another machine can have the same numbers.
      if (cached?.leaves.every((leaf, index) => leaf === leaves[index])) return cached
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

type Planner = {
  /** The microstep that takes all these transitions together. */
  readonly plan: (from: ActiveStates, transitions: readonly CompiledTransition[]) => Plan
  /** The first microstep, which enters the root. */
  readonly planInitial: (root: AnyStateNode) => Plan
}

/**
 * A microstep: the exit actions, the transitions' own actions and the entry actions, in XState's
 * order.
 */
export const planner = (compiled: CompiledNodes, states: KnownStates): Planner => {
  const entryActions = (nodes: readonly AnyStateNode[]): readonly Perform[] =>
    nodes.flatMap((node) => compiled.of(node).entry)

  return {
    plan: (from, transitions) => {
      const enabled = withoutConflicts(transitions, from.nodes)
      const exited = new Set(enabled.flatMap((transition) => [...exitSet(transition, from.nodes)]))
      const entered = entrySet(enabled)
      // A set iterates in the order of insertion: states that are left and entered again come last.
      const stay = [...from.order, ...from.nodes].filter((node) => !exited.has(node))
      const active = new Set([...stay, ...entered])
      const isSame = [...active].every((node) => from.nodes.has(node))
      return {
        performs: [
          ...inDocumentOrder(exited)
            .toReversed()
            .flatMap((node) => compiled.of(node).exit),
          ...enabled.flatMap(({ actions }) => actions),
          ...entryActions(entered),
        ],
        next: isSame ? from : states.entered([...active].filter(isLeaf)),
      }
    },
    planInitial: (root) => {
      const entered = entrySet([{ source: root, target: root, reenter: true }])
      return { performs: entryActions(entered), next: states.entered(entered.filter(isLeaf)) }
    },
  }
}

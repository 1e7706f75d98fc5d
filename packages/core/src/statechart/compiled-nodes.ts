// Compiles each state of a machine once, before the first event: its actions, its guards and its
// transitions.
import type { AnyStateNode } from 'xstate'
import {
  actionCompiler,
  type Guard,
  guardCompiler,
  type MachineParts,
  type Perform,
} from './actions-and-guards.ts'
import { checkNode, placeOf } from './refuse.ts'
import { ancestorsOf, childrenOf, type Movement } from './state-sets.ts'

export type CompiledTransition = Movement & {
  /** Unique within the machine. */
  readonly key: number
  readonly guard: Guard
  readonly actions: readonly Perform[]
}

type CompiledNode = {
  readonly entry: readonly Perform[]
  readonly exit: readonly Perform[]
  readonly on: ReadonlyMap<string, readonly CompiledTransition[]>
  readonly always: readonly CompiledTransition[]
}

export type CompiledNodes = {
  readonly of: (node: AnyStateNode) => CompiledNode
  /** The types of all events that a state has a transition for, even one without an effect. */
  readonly types: ReadonlySet<string>
}

type Transition = NonNullable<AnyStateNode['always']>[number]

const withDescendants = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...childrenOf(node).flatMap(withDescendants),
]

/** Throws an Error that names the state and the feature if the machine uses an unsupported one. */
export const compileNodes = (machine: MachineParts): CompiledNodes => {
  const [compileAction, compileGuard] = [actionCompiler(machine), guardCompiler(machine)]
  let count = 0

  const compileNode = (node: AnyStateNode): CompiledNode => {
    checkNode(node)
    const place = placeOf(node)
    const performs = (actions: readonly unknown[]) =>
      actions.map((action) => compileAction(action, place))
    const transitions = (definitions: readonly Transition[]): readonly CompiledTransition[] =>
      definitions.map(({ source, target, reenter, guard, actions }) => ({
        source,
        target: target?.[0],
        reenter,
        key: count++,
        guard: compileGuard(guard, place),
        actions: performs(actions),
      }))
    return {
      entry: performs(node.entry),
      exit: performs(node.exit),
      on: new Map(
        [...node.transitions].map(([type, definitions]) => [type, transitions(definitions)]),
      ),
      always: transitions(node.always ?? []),
    }
  }

  const compiled = new Map(withDescendants(machine.root).map((node) => [node, compileNode(node)]))
  return {
    // A node of another machine never comes here: the active states are checked against the
    // machine.
    of: (node) => compiled.get(node) as CompiledNode,
    types: new Set([...compiled.values()].flatMap(({ on }) => [...on.keys()])),
  }
}

/**
 * The regions decide first, each for itself. `own` counts only if none of them has a transition.
 */
export type Choice = {
  readonly regions: readonly Choice[]
  readonly nodeTransitions: readonly CompiledTransition[]
}

const NONE: readonly CompiledTransition[] = []

/**
 * The possible transitions are listed once for each set of active states. Their guards decide in
 * each step (compile.ts). The possible transitions for events of this type, from the active state
 * `node` and the active states in it.
 */
export const choiceFor = (
  type: string,
  node: AnyStateNode,
  active: ReadonlySet<AnyStateNode>,
  compiled: CompiledNodes,
): Choice => {
  const nodeTransitions = compiled.of(node).on.get(type) ?? NONE
  const regions = childrenOf(node)
    .filter((child) => active.has(child))
    .map((child) => choiceFor(type, child, active, compiled))
    .filter((choice) => choice.regions.length > 0 || choice.nodeTransitions.length > 0)
  const [first, second] = regions
  // If one region handles the event, its transitions and this node's are tried as one list.
  if (first !== undefined && second === undefined)
    return {
      regions: first.regions,
      nodeTransitions: [...first.nodeTransitions, ...nodeTransitions],
    }
  return { regions, nodeTransitions }
}

/**
 * For each of the leaves, the `always` of the leaf and of all states around it. Leaves without any
 * are left out.
 */
export const alwaysOf = (
  leaves: readonly AnyStateNode[],
  compiled: CompiledNodes,
): readonly (readonly CompiledTransition[])[] =>
  leaves
    .map((leaf) => [leaf, ...ancestorsOf(leaf)].flatMap((node) => compiled.of(node).always))
    .filter(({ length }) => length > 0)

// Which transitions an event takes. Lists of possible transitions are built once for each set of active states.
import type { AnyStateNode } from 'xstate'
import type { CompiledNodes, CompiledTransition } from './compiled-nodes.ts'
import type { Scope, Situation } from './run.ts'
import { ancestorsOf, childrenOf } from './state-sets.ts'

/** The regions decide first, each for itself. `own` counts only if none of them has a transition. */
export type Choice = { readonly regions: readonly Choice[]; readonly own: readonly CompiledTransition[] }

const NONE: readonly CompiledTransition[] = []

/** The possible transitions for events of this type, from the active state `node` and the active states in it. */
export const choiceFor = (
  type: string,
  node: AnyStateNode,
  active: ReadonlySet<AnyStateNode>,
  compiled: CompiledNodes,
): Choice => {
  const own = compiled.of(node).on.get(type) ?? NONE
  const regions = childrenOf(node)
    .filter((child) => active.has(child))
    .map((child) => choiceFor(type, child, active, compiled))
    .filter((choice) => choice.regions.length > 0 || choice.own.length > 0)
  const [first, second] = regions
  // If only one region can decide, its choice and this one's form one list: most events cost a single walk along it.
  if (first !== undefined && second === undefined) return { regions: first.regions, own: [...first.own, ...own] }
  return { regions, own }
}

const firstOf = (
  transitions: readonly CompiledTransition[],
  scope: Scope,
  active: Situation,
): CompiledTransition | undefined => {
  for (const transition of transitions) if (transition.guard(scope, active)) return transition
  return undefined
}

/** The transitions that the event takes. They may conflict with each other. */
export const choose = ({ regions, own }: Choice, scope: Scope, active: Situation): readonly CompiledTransition[] => {
  if (regions.length > 0) {
    const chosen = regions.flatMap((region) => choose(region, scope, active))
    if (chosen.length > 0) return chosen
  }
  const transition = firstOf(own, scope, active)
  return transition === undefined ? NONE : [transition]
}

/** For each of the leaves, the `always` of the leaf and of all states around it. Leaves without any are left out. */
export const alwaysOf = (
  leaves: readonly AnyStateNode[],
  compiled: CompiledNodes,
): readonly (readonly CompiledTransition[])[] =>
  leaves
    .map((leaf) => [leaf, ...ancestorsOf(leaf)].flatMap((node) => compiled.of(node).always))
    .filter(({ length }) => length > 0)

/** The transitions without an event that are taken now. Here each leaf decides, and not each region. */
export const chooseAlways = (
  always: readonly (readonly CompiledTransition[])[],
  scope: Scope,
  active: Situation,
): readonly CompiledTransition[] => {
  if (always.length === 0) return NONE
  const chosen = always.flatMap((transitions) => firstOf(transitions, scope, active) ?? [])
  return chosen.length < 2 ? chosen : [...new Set(chosen)]
}

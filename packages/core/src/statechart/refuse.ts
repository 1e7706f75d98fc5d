// The compiler supports a subset of XState. Every other feature fails here at compile time, by its
// name and its place, because a feature that is silently ignored would only show as a wrong state
// much later.
import type { AnyStateNode } from 'xstate'

/** The machine's id and the names on the way to the state: `order.checkout.paying`. */
export const placeOf = ({ machine, path }: AnyStateNode): string => [machine.id, ...path].join('.')

/**
 * Throws an Error. `place` is that of the state with the feature; `feature` continues the sentence
 * "… uses".
 */
export const refuse = (place: string, feature: string): never => {
  throw new Error(
    `State "${place}" uses ${feature}. compile() does not support this. See the subset in docs/statechart-compiler.md.`,
  )
}

/** Throws if the state, without its actions and guards, uses an unsupported feature. */
export const checkNode = (node: AnyStateNode): void => {
  const place = placeOf(node)
  if (node.type === 'final') refuse(place, 'a final state')
  if (node.type === 'history') refuse(place, 'a history state')
  if (node.type === 'parallel' && Object.keys(node.states).length === 0)
    refuse(place, 'a parallel state without regions')
  if (node.invoke.length > 0) refuse(place, 'an invoked actor')
  for (const descriptor of node.transitions.keys())
    if (descriptor === '*' || descriptor.endsWith('.*'))
      refuse(place, `the wildcard event "${descriptor}"`)
  if (node.initial.actions.length > 0) refuse(place, 'actions of its initial state')
  for (const { target = [] } of [...node.transitions.values(), node.always ?? []].flat())
    if (target.length > 1) refuse(place, 'a transition with several targets')
}

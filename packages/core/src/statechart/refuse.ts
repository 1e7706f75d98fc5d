// The compiler supports a subset of XState. Every other feature fails here at compile time, by its
// name and its place, because a feature that is silently ignored would only show as a wrong state
// much later.
import type { AnyStateNode } from 'xstate'
import { ancestorsOf, isInside } from './state-sets.ts'

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
  if (node.parent === undefined && node.output !== undefined)
    refuse(place, 'an output of the machine')
  if (node.type === 'history') refuse(place, 'a history state')
  if (node.type === 'parallel' && Object.keys(node.states).length === 0)
    refuse(place, 'a parallel state without regions')
  if (node.invoke.length > 0) refuse(place, 'an invoked actor')
  for (const descriptor of node.transitions.keys())
    if (descriptor === '*' || descriptor.endsWith('.*'))
      refuse(place, `the wildcard event "${descriptor}"`)
  for (const { target = [] } of [...node.transitions.values(), node.always ?? []].flat())
    for (const [index, first] of target.entries())
      for (const second of target.slice(index + 1))
        if (!canBeActiveTogether(first, second))
          refuse(
            place,
            `a transition to "${placeOf(first)}" and "${placeOf(second)}", which cannot be entered together`,
          )
}

// Two states can be targets of one transition if they are in different regions of the same parallel
// state.
const canBeActiveTogether = (first: AnyStateNode, second: AnyStateNode): boolean => {
  const common = [first, ...ancestorsOf(first)].find(
    (node) => node === second || isInside(second, node),
  )
  return common?.type === 'parallel' && common !== first && common !== second
}

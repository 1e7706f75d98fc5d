// Which states a transition leaves and enters. The functions follow XState's own step by step (its
// `stateUtils`, after the algorithm of SCXML), without history states, so that both agree in every
// corner.
import type { AnyStateNode, StateValue } from 'xstate'

/** The part of a transition that decides which states it leaves and enters. */
export type Movement = {
  readonly source: AnyStateNode
  /** Undefined: the transition leaves and enters nothing. */
  readonly target: AnyStateNode | undefined
  readonly reenter: boolean
}

export const childrenOf = ({ states }: AnyStateNode): readonly AnyStateNode[] =>
  Object.values(states)

/** A state in which a region can rest. */
export const isLeaf = ({ type }: AnyStateNode): boolean => type === 'atomic'

/** The states that contain this one, innermost first, up to `top` but without it. */
export const ancestorsOf = (node: AnyStateNode, top?: AnyStateNode): readonly AnyStateNode[] => {
  const { parent } = node
  return node === top || parent === undefined || parent === top
    ? []
    : [parent, ...ancestorsOf(parent, top)]
}

/** True if `outer` contains the state. Undefined contains all states, the root included. */
const isInside = (node: AnyStateNode, outer: AnyStateNode | undefined): boolean =>
  outer === undefined || ancestorsOf(node).includes(outer)

export const inDocumentOrder = (nodes: Iterable<AnyStateNode>): readonly AnyStateNode[] =>
  [...nodes].sort((a, b) => a.order - b.order)

/** The active children of an active state. */
const activeChildren = (
  node: AnyStateNode,
  active: ReadonlySet<AnyStateNode>,
): readonly AnyStateNode[] => childrenOf(node).filter((child) => active.has(child))

/**
 * XState's value of the active states: the name of a child at rest, or an object of names and
 * values.
 */
export const stateValueOf = (node: AnyStateNode, active: ReadonlySet<AnyStateNode>): StateValue => {
  const children = activeChildren(node, active)
  const [child] = children
  if (node.type === 'compound' && child !== undefined && isLeaf(child)) return child.key
  return Object.fromEntries(children.map((each) => [each.key, stateValueOf(each, active)]))
}

/**
 * The active leaves in the order in which XState's `resolveState` lists them. It is document order,
 * except that a parallel state's atomic regions come before its other regions. The order matters
 * only for `always`.
 */
export const orderAtRest = (
  node: AnyStateNode,
  active: ReadonlySet<AnyStateNode>,
): readonly AnyStateNode[] => {
  const children = activeChildren(node, active)
  return [
    ...(isLeaf(node) ? [node] : children.filter(isLeaf)),
    ...children.filter((child) => !isLeaf(child)).flatMap((child) => orderAtRest(child, active)),
  ]
}

// The innermost state that stays active throughout the transition. Undefined: the root itself is
// left and entered again.
const domainOf = (
  { source, reenter }: Movement,
  target: AnyStateNode,
): AnyStateNode | undefined => {
  if (!reenter && (target === source || isInside(target, source))) return source
  const common = ancestorsOf(target).find((ancestor) => isInside(source, ancestor))
  return common ?? (reenter ? undefined : source.machine.root)
}

/** The active states that the transition leaves. */
export const exitSet = (
  movement: Movement,
  active: ReadonlySet<AnyStateNode>,
): ReadonlySet<AnyStateNode> => {
  if (movement.target === undefined) return new Set()
  const domain = domainOf(movement, movement.target)
  return new Set([...active].filter((node) => isInside(node, domain)))
}

/**
 * Of transitions that leave a common state only one is kept: the one from the inner source, or else
 * the first.
 */
export const withoutConflicts = <M extends Movement>(
  movements: readonly M[],
  active: ReadonlySet<AnyStateNode>,
): readonly M[] => {
  let enabled: readonly M[] = []
  for (const movement of movements) {
    const exits = exitSet(movement, active)
    const rivals = enabled.filter((other) =>
      [...exitSet(other, active)].some((node) => exits.has(node)),
    )
    if (rivals.every(({ source }) => isInside(movement.source, source)))
      enabled = [...enabled.filter((other) => !rivals.includes(other)), movement]
  }
  return enabled
}

/** The states that the transitions enter together, in document order. */
export const entrySet = (movements: readonly Movement[]): readonly AnyStateNode[] => {
  const entered = new Set<AnyStateNode>()

  const enter = (node: AnyStateNode): void => {
    entered.add(node)
    enterBelow(node)
  }

  const enterBelow = (node: AnyStateNode): void => {
    if (node.type === 'compound') for (const child of node.initial.target) enter(child)
    if (node.type === 'parallel') for (const region of childrenOf(node)) enter(region)
  }

  for (const movement of movements) {
    const { target } = movement
    if (target === undefined) continue
    const domain = domainOf(movement, target)
    const isOnlyReset = target === movement.source && target === domain
    if (!isOnlyReset) entered.add(target)
    enterBelow(target)
    const around = ancestorsOf(target, domain)
    for (const ancestor of around) entered.add(ancestor)
    // The other regions of a parallel state around the target begin at their initial states.
    const parallels = [...around, domain].filter((node) => node?.type === 'parallel')
    for (const region of parallels.flatMap((node) => Object.values(node?.states ?? {})))
      if (region !== target && !isInside(target, region)) enter(region)
  }
  return inDocumentOrder(entered)
}

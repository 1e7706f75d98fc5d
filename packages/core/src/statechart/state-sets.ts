// Which states a transition leaves and enters. The functions follow XState's own step by step (its
// `stateUtils`, after the algorithm of SCXML), without history states, so that both agree in every
// corner.
import type { AnyStateNode, StateValue } from 'xstate'

/** The part of a transition that decides which states it leaves and enters. */
export type Movement = {
  readonly source: AnyStateNode
  readonly target: readonly AnyStateNode[]
  readonly reenter: boolean
}

export const childrenOf = ({ states }: AnyStateNode): readonly AnyStateNode[] =>
  Object.values(states)

/** A state in which a region can rest. */
export const isLeaf = ({ type }: AnyStateNode): boolean => type === 'atomic' || type === 'final'

/** The states that contain this one, innermost first, up to `top` but without it. */
export const ancestorsOf = (node: AnyStateNode, top?: AnyStateNode): readonly AnyStateNode[] => {
  const { parent } = node
  return node === top || parent === undefined || parent === top
    ? []
    : [parent, ...ancestorsOf(parent, top)]
}

/** True if `outer` contains the state. Undefined contains all states, the root included. */
export const isInside = (node: AnyStateNode, outer: AnyStateNode | undefined): boolean =>
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

/** True if a final state completes this one. */
export const isCompleted = (node: AnyStateNode, active: ReadonlySet<AnyStateNode>): boolean => {
  if (node.type === 'compound')
    return activeChildren(node, active).some(({ type }) => type === 'final')
  if (node.type === 'parallel') return childrenOf(node).every((child) => isCompleted(child, active))
  return node.type === 'final'
}

// The innermost state that stays active throughout the transition. Undefined: the root itself is
// left and entered again.
const domainOf = ({ source, target, reenter }: Movement): AnyStateNode | undefined => {
  if (!reenter && target.every((node) => node === source || isInside(node, source))) return source
  const [first = source, ...others] = [...target, source]
  const common = ancestorsOf(first).find((ancestor) =>
    others.every((node) => isInside(node, ancestor)),
  )
  return common ?? (reenter ? undefined : source.machine.root)
}

/** The active states that the transition leaves. */
export const exitSet = (
  movement: Movement,
  active: ReadonlySet<AnyStateNode>,
): ReadonlySet<AnyStateNode> => {
  if (movement.target.length === 0) return new Set()
  const domain = domainOf(movement)
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

type Entries = {
  /** In document order. */
  readonly entered: readonly AnyStateNode[]
  /** Those of them that run the actions of their `initial`. */
  readonly byDefault: ReadonlySet<AnyStateNode>
}

/** The states that the transitions enter together. */
export const entrySet = (movements: readonly Movement[]): Entries => {
  const entered = new Set<AnyStateNode>()
  const byDefault = new Set<AnyStateNode>()

  const enter = (node: AnyStateNode): void => {
    entered.add(node)
    byDefault.add(node)
    enterBelow(node)
  }

  const missingRegions = (node: AnyStateNode): readonly AnyStateNode[] =>
    childrenOf(node).filter((region) => ![...entered].some((each) => isInside(each, region)))

  const enterBelow = (node: AnyStateNode): void => {
    if (node.type === 'compound') for (const child of node.initial.target) enter(child)
    if (node.type === 'parallel') for (const region of missingRegions(node)) enter(region)
  }

  const enterAround = (ancestor: AnyStateNode, domain: AnyStateNode | undefined): void => {
    if (isInside(ancestor, domain)) entered.add(ancestor)
    if (ancestor.type !== 'parallel') return
    for (const region of missingRegions(ancestor)) {
      // XState does not run the actions of such a region's own `initial`.
      entered.add(region)
      enterBelow(region)
    }
  }

  for (const movement of movements) {
    const { source, target, reenter } = movement
    const domain = domainOf(movement)
    for (const node of target) {
      if (node !== source || node !== domain || reenter) enter(node)
      else enterBelow(node)
    }
    for (const node of target) {
      for (const ancestor of ancestorsOf(node, domain)) enterAround(ancestor, domain)
      if (domain?.type === 'parallel') enterAround(domain, domain)
    }
  }
  return { entered: inDocumentOrder(entered), byDefault }
}

// Compiles each state of a machine once, before the first event: its actions, its guards and its transitions.
import type { AnyStateNode } from 'xstate'
import { actionCompiler } from './actions.ts'
import { guardCompiler } from './guards.ts'
import { checkMachine, checkNode, placeOf } from './refuse.ts'
import type { Guard, Machine, Perform } from './run.ts'
import { childrenOf, type Movement } from './state-sets.ts'

export type CompiledTransition = Movement & {
  /** Unique within the machine. */
  readonly key: number
  readonly guard: Guard
  readonly actions: readonly Perform[]
}

type CompiledNode = {
  readonly entry: readonly Perform[]
  /** The actions of the state's `initial`. */
  readonly initial: readonly Perform[]
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
export const compileNodes = (machine: Machine): CompiledNodes => {
  checkMachine(machine)
  const [compileAction, compileGuard] = [actionCompiler(machine), guardCompiler(machine)]
  let count = 0

  const compileNode = (node: AnyStateNode): CompiledNode => {
    checkNode(node)
    const place = placeOf(node)
    const performs = (actions: readonly unknown[]) => actions.map((action) => compileAction(action, place))
    const transitions = (definitions: readonly Transition[]): readonly CompiledTransition[] =>
      definitions.map(({ source, target = [], reenter, guard, actions }) => ({
        source,
        target,
        reenter,
        key: count++,
        guard: guard === undefined ? () => true : compileGuard(guard, place),
        actions: performs(actions),
      }))
    return {
      entry: performs(node.entry),
      initial: performs(node.initial.actions),
      exit: performs(node.exit),
      on: new Map([...node.transitions].map(([type, definitions]) => [type, transitions(definitions)])),
      always: transitions(node.always ?? []),
    }
  }

  const compiled = new Map(withDescendants(machine.root).map((node) => [node, compileNode(node)]))
  return {
    // A node of another machine never comes here: the active states are checked against the machine.
    of: (node) => compiled.get(node) as CompiledNode,
    types: new Set([...compiled.values()].flatMap(({ on }) => [...on.keys()])),
  }
}

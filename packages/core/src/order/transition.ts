// A faster transition function. XState's own transition() builds an actor and walks sets of state nodes on every call.
// Here an order has one resting state in each of three regions, so the states that a transition leaves and enters, and the
// actions on the way, are computed once from the machine. order-machine.ts stays the only source of truth: a property test
// compares the results with XState's for every event (transition.test.ts).
import { and } from 'xstate'
import { orderMachine } from './machine/order-machine.ts'
import type { MachineContext, MachineEvent } from './machine/order-setup.ts'

type StateNode = (typeof orderMachine)['root']
type Transition = NonNullable<StateNode['always']>[number]

/** An effect's name and parameters. Timers use XState's `xstate.raise` (delayed) and `xstate.cancel`. */
export type MachineAction = { readonly type: string; readonly params: Readonly<Record<string, unknown>> }

export type Configuration = {
  /** The resting state of each region, in the order of the machine's regions. */
  readonly leaves: readonly StateNode[]
  readonly context: MachineContext
}

type Taken = Configuration & { readonly actions: readonly MachineAction[] }

type Run = {
  context: MachineContext
  event: MachineEvent
  readonly actions: MachineAction[]
  readonly raised: MachineEvent[]
}

type Perform = (run: Run) => void
type Guard = (run: Run, leaves: readonly StateNode[]) => boolean

/** A transition from one resting state: exit actions, entry actions, and the new resting state. */
type Plan = { readonly exits: readonly Perform[]; readonly entries: readonly Perform[]; readonly leaf: StateNode }
type Candidate = { readonly guard: Guard; readonly actions: readonly Perform[]; readonly plan: Plan | null }

type Params = Readonly<Record<string, unknown>>
type Scope = { readonly context: MachineContext; readonly event: MachineEvent }
/** The fields of XState's built-in actions and guards that this machine uses. */
type BuiltIn = {
  readonly name?: string
  readonly type?: string
  readonly params?: Params
  readonly assignment?: Params | ((scope: Scope, params: Params) => Partial<MachineContext>)
  readonly event?: MachineEvent
  readonly id?: string
  readonly delay?: string | number
  readonly sendId?: string
  readonly check?: unknown
  readonly guards?: readonly unknown[]
  readonly stateValue?: unknown
}
type Implementations = {
  readonly actions: { readonly [name: string]: BuiltIn | undefined }
  readonly guards: { readonly [name: string]: ((scope: Scope, params: Params) => boolean) | undefined }
  readonly delays: { readonly [name: string]: ((scope: Scope, params: Params) => number) | number | undefined }
}

const implementations = orderMachine.implementations as unknown as Implementations
const NO_PARAMS: Params = {}

const unsupported = (what: unknown): never => {
  throw new Error(`The machine uses something that transition.ts does not know: ${String(what)}.`)
}

// The machine's own limit; XState applies it too.
const { maxIterations: MICROSTEPS_MAX = unsupported('steps without end') } = orderMachine.options ?? {}

const assigning =
  (assignment: NonNullable<BuiltIn['assignment']>, params: Params): Perform =>
  (run) => {
    const change = typeof assignment === 'function' ? assignment(run, params) : assignment
    run.context = { ...run.context, ...change }
  }

const delaying =
  (delay: string | number, params: Params): ((run: Run) => number) =>
  (run) => {
    const resolved = typeof delay === 'string' ? implementations.delays[delay] : delay
    return typeof resolved === 'function' ? resolved(run, params) : (resolved ?? unsupported(delay))
  }

const raising = ({ event, id, delay }: BuiltIn): Perform => {
  if (event === undefined) return unsupported('a raise without an event')
  if (delay === undefined) return (run) => void run.raised.push(event)
  const after = delaying(delay, NO_PARAMS)
  return (run) => void run.actions.push({ type: 'xstate.raise', params: { id, delay: after(run) } })
}

const builtIn = (action: BuiltIn, params: Params): Perform | null => {
  switch (action.type) {
    case 'xstate.assign':
      return assigning(action.assignment ?? {}, params)
    case 'xstate.raise':
      return raising(action)
    case 'xstate.cancel':
      return (run) => void run.actions.push({ type: 'xstate.cancel', params: { sendId: action.sendId } })
    default:
      return null
  }
}

const performing = (action: unknown): Perform => {
  if (typeof action === 'function') return builtIn(action as BuiltIn, NO_PARAMS) ?? unsupported(action)
  const { type, params = NO_PARAMS } = (typeof action === 'string' ? { type: action } : action) as BuiltIn
  const named = implementations.actions[type ?? '']
  if (type === undefined || named === undefined || typeof params === 'function') return unsupported(type)
  const effect: MachineAction = { type, params }
  return named.type === undefined
    ? (run) => void run.actions.push(effect)
    : (builtIn(named, params) ?? unsupported(named.type))
}

const always: Guard = () => true

// XState's `and`, `or` and `not` differ only in their `check` function. Its name is unreliable because bundlers rename it.
const CHECKS_ALL = (and([]) as BuiltIn).check

const builtInGuard = (guard: BuiltIn): Guard => {
  const { check, guards, stateValue } = guard
  if (guards !== undefined && check === CHECKS_ALL) {
    const all = guards.map(guarding)
    return (run, leaves) => all.every((holds) => holds(run, leaves))
  }
  if (typeof stateValue === 'string' && stateValue.startsWith('#')) {
    const id = stateValue.slice(1)
    return (_, leaves) => leaves.some((leaf) => lineage(leaf).some((node) => node.id === id))
  }
  return unsupported(`the guard ${guard.name || 'without a name'}`)
}

const guarding = (guard: unknown): Guard => {
  if (guard === undefined) return always
  if (typeof guard === 'function') return builtInGuard(guard as BuiltIn)
  const { type, params = NO_PARAMS } = (typeof guard === 'string' ? { type: guard } : guard) as BuiltIn
  const named = implementations.guards[type ?? '']
  if (named === undefined || 'check' in named || typeof params === 'function') return unsupported(type)
  return (run) => named(run, params)
}

/** The path of nodes from the region's own node down to this one. */
const lineage = (node: StateNode): readonly StateNode[] =>
  node.parent === undefined ? [] : [...lineage(node.parent as StateNode), node]

/** The states entered below this one: each parent's `initial`, down to the resting state. */
const descent = (node: StateNode): readonly StateNode[] => {
  if (node.type === 'atomic') return []
  const [child] = (node.type === 'compound' ? node.initial.target : []) as readonly StateNode[]
  return child === undefined ? unsupported(node.id) : [child, ...descent(child)]
}

/**
 * The number of states that contain both source and target and therefore stay active, counted from the region's own. For
 * `checkout.open.proving` and `checkout.unconfirmed.failed` it is one: `checkout`. Source and target themselves do not count.
 * If one contains the other, or they are the same, it is left and entered again.
 */
const commonDepth = (source: StateNode, target: StateNode): number => {
  const from = lineage(source)
  return lineage(target).findIndex((node, depth) => node !== from[depth] || node === target || node === source)
}

const planOf = (transition: Transition, leaf: StateNode): Plan | null => {
  const [target, second] = (transition.target ?? []) as readonly StateNode[]
  if (target === undefined) return null
  if (second !== undefined) return unsupported('a transition with two targets')
  const source = transition.source as unknown as StateNode
  const [active, way] = [lineage(leaf), lineage(target)]
  const staysWithin = !transition.reenter && way.includes(source)
  // A transition to a state inside its source neither leaves nor enters the source.
  const kept = staysWithin ? lineage(source).length : commonDepth(source, target)
  const entered = [...way.slice(kept), ...descent(target)]
  return {
    exits: active
      .slice(kept)
      .toReversed()
      .flatMap(({ exit }) => exit.map(performing)),
    entries: entered.flatMap(({ entry }) => entry.map(performing)),
    leaf: entered.at(-1) ?? leaf,
  }
}

const candidateOf =
  (leaf: StateNode) =>
  (transition: Transition): Candidate => ({
    guard: guarding(transition.guard),
    actions: transition.actions.map(performing),
    plan: planOf(transition, leaf),
  })

type Table = { readonly on: ReadonlyMap<string, readonly Candidate[]>; readonly always: readonly Candidate[] }

/** All transitions that are possible in an innermost state. Those of inner states come first. */
const tableOf = (leaf: StateNode): Table => {
  const inside = lineage(leaf).toReversed()
  const names = new Set(inside.flatMap((node) => [...node.transitions.keys()]))
  if ([...names].some((name) => name.endsWith('*'))) unsupported('a transition for any event')
  if (inside.some(({ invoke }) => invoke.length > 0)) unsupported('an actor')
  const candidates = (transitions: readonly Transition[]) => transitions.map(candidateOf(leaf))
  return {
    on: new Map(
      [...names].map((name) => [
        name,
        candidates(inside.flatMap((node) => (node.transitions.get(name) ?? []) as readonly Transition[])),
      ]),
    ),
    always: candidates(inside.flatMap((node) => node.always ?? [])),
  }
}

const leavesBelow = (node: StateNode): readonly StateNode[] => {
  const children = Object.values(node.states) as readonly StateNode[]
  return children.length === 0 ? [node] : children.flatMap(leavesBelow)
}

if (orderMachine.root.transitions.size > 0 || orderMachine.root.entry.length > 0) unsupported('something at the root')

const tables = new Map(leavesBelow(orderMachine.root).map((leaf) => [leaf, tableOf(leaf)]))

type Selected = { readonly region: number; readonly candidate: Candidate }

const select = (
  run: Run,
  leaves: readonly StateNode[],
  of: (table: Table) => readonly Candidate[],
): readonly Selected[] =>
  leaves.flatMap((leaf, region) => {
    const table = tables.get(leaf)
    const candidate = table === undefined ? undefined : of(table).find(({ guard }) => guard(run, leaves))
    return candidate === undefined ? [] : [{ region, candidate }]
  })

const NOTHING: readonly Candidate[] = []

// All exits run first, then all actions, then all entries, as if the regions moved together. The last region exits first.
const microstep = (run: Run, leaves: readonly StateNode[], selected: readonly Selected[]): readonly StateNode[] => {
  for (const { candidate } of selected.toReversed()) for (const perform of candidate.plan?.exits ?? []) perform(run)
  for (const { candidate } of selected) for (const perform of candidate.actions) perform(run)
  for (const { candidate } of selected) for (const perform of candidate.plan?.entries ?? []) perform(run)
  return leaves.map((leaf, region) => selected.find((each) => each.region === region)?.candidate.plan?.leaf ?? leaf)
}

const settle = (run: Run, from: readonly StateNode[]): Taken => {
  let leaves = from
  for (let steps = 0; steps < MICROSTEPS_MAX; steps++) {
    const passing = select(run, leaves, (table) => table.always)
    if (passing.length > 0) leaves = microstep(run, leaves, passing)
    else {
      const raised = run.raised.shift()
      if (raised === undefined) return { leaves, context: run.context, actions: run.actions }
      run.event = raised
      leaves = microstep(
        run,
        leaves,
        select(run, leaves, (table) => table.on.get(raised.type) ?? NOTHING),
      )
    }
  }
  throw new Error(`The machine does not come to rest within ${MICROSTEPS_MAX} steps.`)
}

/** Applies the event. If nothing happens, the result has the same context object and no actions. */
export const transition = ({ leaves, context }: Configuration, event: MachineEvent): Taken => {
  const run: Run = { context, event, actions: [], raised: [] }
  const selected = select(run, leaves, (table) => table.on.get(event.type) ?? NOTHING)
  return settle(run, selected.length === 0 ? leaves : microstep(run, leaves, selected))
}

const beginnings = (Object.values(orderMachine.root.states) as readonly StateNode[]).map((region) => [
  region,
  ...descent(region),
])
const beginning = beginnings.flat().flatMap(({ entry }) => entry.map(performing))

/** The configuration of a new order, with the entry actions of its first states. */
export const begin = (context: MachineContext): Taken => {
  const run: Run = { context, event: { type: 'order.confirmed' }, actions: [], raised: [] }
  for (const perform of beginning) perform(run)
  return settle(
    run,
    beginnings.map((path) => path.at(-1) as StateNode),
  )
}

/** The node of a region's resting state, found by its path of names. */
export const nodeAt = (path: readonly string[]): StateNode => {
  const node = path.reduce<StateNode | undefined>(
    (parent, name) => parent?.states[name as keyof typeof parent.states] as StateNode | undefined,
    orderMachine.root,
  )
  return node ?? unsupported(path.join('.'))
}

// A faster way to run an XState machine. XState's own transition() builds an actor and walks sets
// of state nodes on every call. Here the states that a transition leaves and enters, and the
// actions on the way, are computed once and kept. The machine stays the only source of truth:
// property tests compare every step with XState's own. docs/statechart-compiler.md.
import type { AnyStateNode, EventObject, MachineContext, StateValue } from 'xstate'
import {
  type MachineAction,
  type MachineParts,
  type Run,
  Scope,
  type Situation,
} from './actions-and-guards.ts'
import { type ActiveStates, knownStates, type Plan, planner } from './active-states.ts'
import { type Choice, type CompiledTransition, choiceFor, compileNodes } from './compiled-nodes.ts'

export type { MachineAction } from './actions-and-guards.ts'

/**
 * An XState machine, of any copy of xstate from 5.33 on. TypeScript compares only this shape,
 * because it cannot compare the whole machines of two copies.
 */
export type Machine = {
  readonly id: string
  readonly root: object
  readonly options: object
  readonly implementations: object
  readonly transition: (...args: never) => unknown
}

type TransitionArguments<M extends Machine> = Parameters<M['transition']>
type ContextOf<M extends Machine> =
  TransitionArguments<M> extends readonly [{ readonly context: infer Context }, ...unknown[]]
    ? Context
    : never
type EventOf<M extends Machine> =
  TransitionArguments<M> extends readonly [unknown, infer Event, ...unknown[]] ? Event : never

/** The whole state of a machine: its resting (atomic) states, and its context. */
export type Configuration<Context, Node> = {
  readonly leaves: readonly Node[]
  readonly context: Context
}

/**
 * A configuration after a step, and the effects of the step in their order. The leaves are in
 * document order.
 */
export type TransitionResult<Context, Node> = Configuration<Context, Node> & {
  readonly actions: readonly MachineAction[]
}

/** A machine that runs without an actor: each function is pure. docs/statechart-compiler.md. */
export type CompiledMachine<Context, Event, Node> = {
  /**
   * Like XState's `initialTransition`, but errors are thrown. `input` is that of XState's initial
   * event.
   */
  readonly initial: (context: Context, input?: unknown) => TransitionResult<Context, Node>
  /**
   * Like XState's `transition` from `machine.resolveState({ value, context })`. If nothing happens,
   * the result has the same context object and no actions. Throws if the machine does not reach a
   * resting state within its `maxIterations`.
   */
  readonly transition: (
    configuration: Configuration<Context, Node>,
    event: Event,
  ) => TransitionResult<Context, Node>
  /** The state with this path of names from the root. Throws if there is none. */
  readonly nodeAt: (path: readonly string[]) => Node
  /** XState's value of a configuration, for example to store it. */
  readonly stateValueOf: (leaves: readonly Node[]) => StateValue
}

/**
 * Throws an Error that names the state and the feature if the machine uses a feature outside the
 * supported subset.
 */
export const compile = <M extends Machine>(
  machine: M,
): CompiledMachine<ContextOf<M>, EventOf<M>, M['root']> => {
  if (typeof machine.options !== 'object' || machine.options === null)
    throw new Error(
      `The machine "${machine.id}" has no options (got ${String(machine.options)}). compile() expects a machine of xstate 5.33 or later: update xstate.`,
    )
  // The types of context and event only pass through, so the parts below do not know them. A
  // machine of another copy of xstate has the same parts.
  return compileUntyped(machine as unknown as MachineParts) as unknown as CompiledMachine<
    ContextOf<M>,
    EventOf<M>,
    M['root']
  >
}

const compileUntyped = (
  machine: MachineParts,
): CompiledMachine<MachineContext, EventObject, AnyStateNode> => {
  const { root } = machine
  const { maxIterations = Number.POSITIVE_INFINITY } = machine.options
  const compiled = compileNodes(machine)
  const states = knownStates(machine, compiled)
  const { plan, planInitial } = planner(compiled, states)

  const chosenBy = ({ scope }: Run, active: ActiveStates): readonly CompiledTransition[] => {
    const { type } = scope.event
    // The cache below must not grow with every type of event that comes from outside.
    if (!compiled.types.has(type)) return []
    let choice = active.choices.get(type)
    if (choice === undefined) {
      choice = choiceFor(type, root, active.nodes, compiled)
      active.choices.set(type, choice)
    }
    return choose(choice, scope, active)
  }

  const perform = (run: Run, { performs, next }: Plan): ActiveStates => {
    for (const each of performs) each(run)
    return next
  }

  const take = (
    run: Run,
    active: ActiveStates,
    transitions: readonly CompiledTransition[],
  ): ActiveStates => {
    const [first, second] = transitions
    if (first === undefined) return active
    const key =
      second === undefined ? first.key : transitions.map((transition) => transition.key).join()
    let planned = active.plans.get(key)
    if (planned === undefined) {
      planned = plan(active, transitions)
      active.plans.set(key, planned)
    }
    return perform(run, planned)
  }

  const settle = (run: Run, from: ActiveStates): TransitionResult<MachineContext, AnyStateNode> => {
    let active = from
    // XState does not look for `always` again if the last ones changed neither the states nor the
    // context.
    let seeksAlways = true
    for (let steps = 0; ; steps++) {
      if (steps >= maxIterations)
        throw new Error(
          `The machine "${machine.id}" does not reach a resting state within ${maxIterations} microsteps.`,
        )
      const passing = seeksAlways ? chooseAlways(active.always, run.scope, active) : []
      if (passing.length > 0) {
        const [before, { context }] = [active, run.scope]
        active = take(run, active, passing)
        seeksAlways = active !== before || run.scope.context !== context
      } else {
        const raised = run.raised.shift()
        if (raised === undefined) break
        run.scope = new Scope(run.scope.context, raised)
        active = take(run, active, chosenBy(run, active))
        seeksAlways = true
      }
    }
    return { leaves: active.leaves, context: run.scope.context, actions: run.actions }
  }

  const begin = (context: MachineContext, event: EventObject): Run => ({
    scope: new Scope(context, event),
    actions: [],
    raised: [],
  })

  const initialPlan = planInitial(root)

  return {
    initial: (context, input) => {
      const event = { type: 'xstate.init', input }
      const run = begin(context, event)
      return settle(run, perform(run, initialPlan))
    },
    transition: ({ leaves, context }, event) => {
      const run = begin(context, event)
      const active = states.atRest(leaves)
      return settle(run, take(run, active, chosenBy(run, active)))
    },
    nodeAt: (path) =>
      path.reduce<AnyStateNode>((parent, name, depth) => {
        const node = Object.hasOwn(parent.states, name) ? parent.states[name] : undefined
        if (node === undefined)
          throw new Error(
            `The machine "${machine.id}" has no state "${path.slice(0, depth + 1).join('.')}".`,
          )
        return node
      }, root),
    stateValueOf: (leaves) => states.atRest(leaves).value,
  }
}

const NONE: readonly CompiledTransition[] = []

const firstOf = (
  transitions: readonly CompiledTransition[],
  scope: Scope,
  active: Situation,
): CompiledTransition | undefined => {
  for (const transition of transitions) if (transition.guard(scope, active)) return transition
  return undefined
}

/** The transitions that the event takes. They may conflict with each other. */
const choose = (
  { regions, nodeTransitions }: Choice,
  scope: Scope,
  active: Situation,
): readonly CompiledTransition[] => {
  if (regions.length > 0) {
    const chosen = regions.flatMap((region) => choose(region, scope, active))
    if (chosen.length > 0) return chosen
  }
  const transition = firstOf(nodeTransitions, scope, active)
  return transition === undefined ? NONE : [transition]
}

/**
 * The transitions without an event that are taken now. Here each leaf decides, and not each region.
 */
const chooseAlways = (
  always: readonly (readonly CompiledTransition[])[],
  scope: Scope,
  active: Situation,
): readonly CompiledTransition[] => {
  if (always.length === 0) return NONE
  const chosen = always.flatMap((transitions) => firstOf(transitions, scope, active) ?? [])
  return chosen.length < 2 ? chosen : [...new Set(chosen)]
}

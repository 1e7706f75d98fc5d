// Measures how much of the statechart a set of histories covers: states, transitions, and both
// results of each guard. The machine of XState gets the same events as the order, and its inspector
// reports which transitions it takes.
import { type AnyStateNode, createActor, type InspectionEvent } from 'xstate'
import { isPending } from '../order/effects/effect.ts'
import { machineEvent } from '../order/effects/effects.ts'
import { machineInput, machineValue, ORDER_MODEL, restingStates } from '../order/model.ts'
import { isReply, type Order, type OrderEvent, REGIONS } from '../order/order.ts'
import type { Rules, StepInput } from '../order/terms.ts'
import { entriesOf, type Trace } from './trace/trace.ts'

/** What no history has reached. Empty lists mean that everything was covered. */
type MissingCoverage = {
  readonly states: readonly string[]
  /** `<state> <event> <index among the event's transitions>`. */
  readonly transitions: readonly string[]
  /** `<guard> never held`, or `<guard> always held`. */
  readonly guards: readonly string[]
}

/** Collects histories, and says which parts of the statechart they reach. */
export type MachineCoverage = {
  /** Records one step: the order before, its event and input, and the order after. */
  readonly note: (
    before: Order,
    event: OrderEvent,
    stepInput: StepInput,
    rules: Rules,
    after: Order,
  ) => void
  /** Records every step of a trace. A trace without steps adds nothing. */
  readonly recordTrace: (trace: Trace) => void
  readonly missing: () => MissingCoverage
  readonly counts: () => {
    readonly states: number
    readonly transitions: number
    readonly guards: number
  }
}

type Reference = { readonly type: string; readonly params?: unknown }

const nameOf = ({ type, params }: Reference): string =>
  params === undefined ? type : `${type} ${JSON.stringify(params)}`

/** The named guards inside a guard. XState's own `stateIn` does not count. */
const guardsIn = (guard: unknown): readonly Reference[] => {
  if (guard === undefined) return []
  if (typeof guard === 'string') return [{ type: guard }]
  const { guards, type } = guard as { readonly guards?: readonly unknown[]; readonly type?: string }
  if (guards !== undefined) return guards.flatMap(guardsIn)
  return typeof guard === 'object' && type !== undefined ? [guard as Reference] : []
}

const withDescendants = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap(withDescendants),
]

type Guard = (scope: unknown, params: unknown) => boolean

/**
 * Starts to measure how much of the statechart histories reach. `model`: the one with which the
 * histories were made.
 */
export const machineCoverage = (model = ORDER_MODEL): MachineCoverage => {
  const { chart } = model
  const transitions = new Map<unknown, { readonly id: string; wasSeen: boolean }>()
  const states = new Map(
    REGIONS.flatMap((region) =>
      restingStates(region, model).map((name) => [`${region} ${name}`, false]),
    ),
  )
  const guards = new Map<string, { hasHeld: boolean; hasFailed: boolean }>()
  const implementations = chart.implementations as unknown as {
    readonly guards: Readonly<Record<string, Guard>>
  }
  const watched = Object.entries(implementations.guards).map(([type, guard]) => [
    type,
    (scope: unknown, params: unknown) => {
      const holds = guard(scope, params)
      const results = guards.get(nameOf(params === undefined ? { type } : { type, params }))
      if (results !== undefined && holds) results.hasHeld = true
      if (results !== undefined && !holds) results.hasFailed = true
      return holds
    },
  ])
  const machine = chart.provide({ guards: Object.fromEntries(watched) as object })
  for (const { path, transitions: byEvent, always = [] } of withDescendants(machine.root))
    for (const [event, definitions] of [...byEvent, ['always', always] as const])
      for (const [index, definition] of definitions.entries()) {
        const id = `${path.join('.')} ${event} ${index}`
        transitions.set(definition, { id, wasSeen: false })
        for (const guard of guardsIn(definition.guard))
          guards.set(nameOf(guard), { hasHeld: false, hasFailed: false })
      }

  const inspect = (inspected: InspectionEvent): void => {
    if (inspected.type !== '@xstate.microstep') return
    for (const definition of inspected._transitions) {
      const taken = transitions.get(definition)
      if (taken !== undefined) taken.wasSeen = true
    }
  }
  // The actor never starts: it only carries the inspector.
  const self = createActor(machine, { inspect } as never)
  const ignore = () => {}
  const scope = {
    self,
    system: self.system,
    id: '',
    sessionId: '',
    logger: ignore,
    defer: ignore,
    emit: ignore,
    stopChild: ignore,
    actionExecutor: ignore,
  }

  const rest = ({ state }: Order): void => {
    for (const region of REGIONS) states.set(`${region} ${state[region]}`, true)
  }

  const note: MachineCoverage['note'] = (before, event, stepInput, rules, after) => {
    rest(after)
    const isUnasked = isReply(event) && !isPending(before.context.pending, event)
    // The step records such an answer without running the machine.
    if (isUnasked && event.type !== 'payment.succeeded') return
    const at = Math.max(stepInput.at, before.context.updatedAt)
    const context = machineInput({ rules, model })(before, { ...stepInput, at })
    const snapshot = machine.resolveState({ value: machineValue(before.state, model), context })
    machine.transition(snapshot, machineEvent(event) as never, scope as never)
  }

  return {
    note,
    recordTrace: (trace) => {
      for (const { before, step } of entriesOf(trace, 'step')) {
        if (before === null) rest(step.order)
        const [line, ...others] = step.journal.filter(({ input }) => input !== null)
        // A request with both references and a state makes two steps at once. The order between
        // them is not visible.
        if (before !== null && line?.input != null && others.length === 0)
          note(before, line.input.event, line.input.stepInput, trace.rules, step.order)
      }
    },
    missing: () => ({
      states: [...states].flatMap(([name, wasSeen]) => (wasSeen ? [] : [name])),
      transitions: [...transitions.values()].flatMap(({ id, wasSeen }) => (wasSeen ? [] : [id])),
      guards: [...guards].flatMap(([name, { hasHeld, hasFailed }]) => [
        ...(hasHeld ? [] : [`${name} never held`]),
        ...(hasFailed ? [] : [`${name} always held`]),
      ]),
    }),
    counts: () => ({ states: states.size, transitions: transitions.size, guards: guards.size }),
  }
}

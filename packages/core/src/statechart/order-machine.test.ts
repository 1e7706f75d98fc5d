// The order's own machine is the one that must never differ from XState: here it is compared on
// random and on shortest paths.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { initialTransition, type StateValue, transition as xstateTransition } from 'xstate'
import { machineEvent } from '../order/effects/effects.ts'
import type { MachineContext, MachineEvent } from '../order/machine/machine-context.ts'
import { machineValue, orderMachine, pathOf } from '../order/machine/order-machine.ts'
import { REGIONS } from '../order/order.ts'
import { NEW_CONTEXT } from '../order/order-context.ts'
import { machineInput } from '../order/step.ts'
import { DEFAULT_RULES } from '../order/terms.ts'
import { ANA, FP1, I1, PLACED, PP3, TERMS } from '../testing/harness/order-fixture.ts'
import { alongShortestPaths } from '../testing/machine-paths.ts'
import { type Configuration, compile } from './compile.ts'

type Node = (typeof orderMachine)['root']
type OrderConfiguration = Configuration<MachineContext, Node>

const compiled = compile(orderMachine)

const contextFor = (
  products: readonly string[],
  notifyUrl: string | null,
  hasWebhook: boolean,
): MachineContext => ({
  ...NEW_CONTEXT,
  placed: {
    ...PLACED,
    merchant: { ...PLACED.merchant, products },
    notifyUrl,
    eventsWebhook: hasWebhook ? PLACED.eventsWebhook : null,
  },
  rules: { ...DEFAULT_RULES, masterCode: '12345' },
  stepInput: { at: 0, random: { code: '54321', token: 't' }, referenceIsTaken: false, revision: 1 },
})

const OUTCOMES = [
  'approved',
  'approved',
  'approved',
  'review',
  'review',
  'alternative',
  'identity',
  'denied',
  'error',
]

/**
 * The fields of all events, and the choice of an event: mostly one that the resting states react
 * to.
 */
const drawn = fc.record({
  pick: fc.nat(1000),
  isExpected: fc.constantFrom(true, true, true, true, false),
  wait: fc.constantFrom(0, 1000, 31_000, 400_000),
  isTaken: fc.constantFrom(false, false, false, true),
  fields: fc.record({
    person: fc.constant(ANA),
    agreement: fc.constantFrom(null, I1, PP3, FP1),
    code: fc.constantFrom('12345', '12345', '12345', '00000'),
    outcome: fc.constantFrom(...OUTCOMES),
    alternative: fc.constantFrom(null, { agreements: [I1], forcedIndex: 0 }),
    status: fc.constantFrom('VERIFIED', 'FAILED', 'ERROR'),
    card: fc.constant(null),
    keep: fc.boolean(),
    reason: fc.constant('declined'),
    level: fc.constantFrom('low_risk', 'high_risk', 'under_evaluation'),
    delay: fc.constantFrom(0, 1000),
    lateByMinutes: fc.constant(3),
    retryInMinutes: fc.constant(5),
    by: fc.constant('operator'),
    first: fc.constantFrom('R1', null),
    second: fc.constant('R2'),
    cards: fc.constant([]),
    url: fc.constant('http://p'),
    token: fc.constant('c'),
  }),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer A> ? A : never

const lineage = (node: Node): readonly Node[] =>
  node.parent ? [node, ...lineage(node.parent as Node)] : [node]

const everyEvent = [...orderMachine.events, 'unheard.of'] as readonly string[]

const eventOf = (
  { pick, isExpected, fields }: Drawn,
  { leaves, context }: OrderConfiguration,
): MachineEvent => {
  // Events of the innermost states move the order on. Events of their parent states mostly end it,
  // so they are rarer.
  const expected = leaves.flatMap((leaf) =>
    lineage(leaf).flatMap((node) =>
      Array<string[]>(node === leaf ? 9 : 1)
        .fill([...node.transitions.keys()])
        .flat(),
    ),
  )
  const types = isExpected ? expected : everyEvent
  const { payments } = context
  const payment =
    payments[pick % 3 === 0 ? pick % Math.max(1, payments.length) : payments.length - 1]
  return {
    ...fields,
    type: types[pick % types.length],
    inReplyTo: payment?.key ?? 'none',
  } as unknown as MachineEvent
}

const moveTime = (context: MachineContext, { wait, isTaken }: Drawn): MachineContext => {
  const { stepInput } = context
  return {
    ...context,
    stepInput: {
      ...stepInput,
      at: stepInput.at + wait,
      revision: stepInput.revision + 1,
      referenceIsTaken: isTaken,
    },
  }
}

type Action = { readonly type: string; readonly params?: unknown }

// XState also lists raises without delay, although it has handled them within the step; their
// `delay` is undefined.
const effects = (actions: readonly Action[]): readonly unknown[] =>
  actions
    .filter(
      ({ type, params }) =>
        type !== 'xstate.raise' || typeof (params as { delay?: unknown }).delay === 'number',
    )
    .map(({ type, params = {} }) => ({ type, params }))

/** Takes the transition and checks that XState takes the same one. */
const stepBoth = (
  value: StateValue,
  { leaves, context }: OrderConfiguration,
  event: MachineEvent,
) => {
  const [next, actions] = xstateTransition(
    orderMachine,
    orderMachine.resolveState({ value, context }),
    event,
  )
  const stepped = compiled.transition({ leaves, context }, event)
  expect(compiled.stateValueOf(stepped.leaves)).toEqual(next.value)
  expect(stepped.context).toEqual(next.context)
  expect(effects(stepped.actions)).toEqual(effects(actions))
  return stepped
}

const leavesBelow = (node: Node): readonly Node[] => {
  const children = Object.values(node.states) as readonly Node[]
  return children.length === 0 ? [node] : children.flatMap(leavesBelow)
}

describe('the compiled order machine', () => {
  it('begins an order as XState does', () => {
    const context = contextFor(['i1'], null, true)
    const [snapshot, actions] = initialTransition(orderMachine, context)
    const begun = compiled.initial(context, context)
    expect(compiled.stateValueOf(begun.leaves)).toEqual(snapshot.value)
    expect(begun.context).toEqual(snapshot.context)
    expect(effects(begun.actions)).toEqual(effects(actions))
  })

  it('steps as XState does on random paths', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(['i1'], ['fp1'], ['pp3', 'i1']),
        fc.constantFrom('http://n', null),
        fc.boolean(),
        fc.array(drawn, { minLength: 1, maxLength: 60, size: 'max' }),
        (products, notifyUrl, hasWebhook, path) => {
          let current: OrderConfiguration = compiled.initial(
            contextFor(products, notifyUrl, hasWebhook),
          )
          for (const each of path) {
            const input = { leaves: current.leaves, context: moveTime(current.context, each) }
            current = stepBoth(compiled.stateValueOf(input.leaves), input, eventOf(each, current))
          }
        },
      ),
      { numRuns: 80 },
    )
  })

  it('steps as XState does along every shortest path, through each state that an order can rest in', () => {
    const reached = new Set<string>()
    alongShortestPaths(PLACED, TERMS, ({ before, event, stepInput }) => {
      const leaves = REGIONS.map((region) => compiled.nodeAt(pathOf(region, before.state)))
      const context = machineInput(TERMS)(before, stepInput)
      const stepped = stepBoth(machineValue(before.state), { leaves, context }, machineEvent(event))
      for (const { id } of stepped.leaves) reached.add(id)
    })
    // A state without meta is only passed through: no order rests in it.
    const resting = leavesBelow(orderMachine.root).filter(({ meta }) => meta !== undefined)
    expect([...reached].sort()).toEqual(resting.map(({ id }) => id).sort())
  })
})

// The order's own machine is the one that must never differ from XState: here it is compared along
// every shortest path.
import { describe, expect, it } from 'vitest'
import { initialTransition, type StateValue, transition as xstateTransition } from 'xstate'
import { machineEvent } from '../order/effects/effects.ts'
import type { MachineContext, MachineEvent } from '../order/machine/machine-context.ts'
import { orderMachine } from '../order/machine/order-machine.ts'
import { machineInput, machineValue, ORDER_MODEL, restingStateOf } from '../order/model.ts'
import { REGIONS } from '../order/order.ts'
import { NEW_CONTEXT } from '../order/order-context.ts'
import { DEFAULT_RULES } from '../order/terms.ts'
import { PRODUCTS } from '../protocol/credit-product.ts'
import { PLACED, TERMS } from '../testing/harness/order-fixture.ts'
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
  products: PRODUCTS,
  stepInput: { at: 0, random: { code: '54321', token: 't' }, referenceIsTaken: false, revision: 1 },
})

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

  it('steps as XState does along every shortest path, through each state that an order can rest in', () => {
    const reached = new Set<string>()
    alongShortestPaths(PLACED, TERMS, ({ before, event, stepInput }) => {
      const leaves = REGIONS.map((region) =>
        compiled.nodeAt(restingStateOf(region, before.state, ORDER_MODEL).path),
      )
      const context = machineInput(TERMS)(before, stepInput)
      const stepped = stepBoth(machineValue(before.state), { leaves, context }, machineEvent(event))
      for (const { id } of stepped.leaves) reached.add(id)
    })
    // A state without meta is only passed through: no order rests in it.
    const resting = leavesBelow(orderMachine.root).filter(({ meta }) => meta !== undefined)
    expect([...reached].sort()).toEqual(resting.map(({ id }) => id).sort())
  })
})

import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { and, initialTransition, not, or, type StateValue, stateIn, transition as xstateTransition } from 'xstate'
import { ANA, FP1, I1, PLACED, PP3, TERMS } from '../testing/harness/order-fixture.ts'
import { alongShortestPaths } from '../testing/machine-paths.ts'
import { machineEvent } from './effects/effects.ts'
import { orderMachine } from './machine/order-machine.ts'
import { type MachineContext, type MachineEvent, orderSetup } from './machine/order-setup.ts'
import { machineValue, pathOf, REGIONS } from './order.ts'
import { NEW_CONTEXT } from './order-context.ts'
import { machineInput } from './step.ts'
import { DEFAULT_RULES } from './terms.ts'
import { begin, type Configuration, type MachineAction, nodeAt, transition } from './transition.ts'

const contextFor = (products: readonly string[], notifyUrl: string | null, hasWebhook: boolean): MachineContext => ({
  ...NEW_CONTEXT,
  placed: {
    ...PLACED,
    merchant: { ...PLACED.merchant, products },
    notifyUrl,
    eventsWebhook: hasWebhook ? PLACED.eventsWebhook : null,
  },
  rules: { ...DEFAULT_RULES, masterCode: '12345' },
  moment: { at: 0, random: { code: '54321', token: 't' }, referenceIsTaken: false, revision: 1 },
})

/** The fields of all events, and the choice of an event: mostly one that the resting states react to. */
const told = fc.record({
  pick: fc.nat(1000),
  isExpected: fc.constantFrom(true, true, true, true, false),
  wait: fc.constantFrom(0, 1000, 31_000, 400_000),
  isTaken: fc.constantFrom(false, false, false, true),
  carries: fc.record({
    person: fc.constant(ANA),
    agreement: fc.constantFrom(null, I1, PP3, FP1),
    code: fc.constantFrom('12345', '12345', '12345', '00000'),
    outcome: fc.constantFrom(
      'approved',
      'approved',
      'approved',
      'review',
      'review',
      'alternative',
      'identity',
      'denied',
      'error',
    ),
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

type Told = typeof told extends fc.Arbitrary<infer A> ? A : never
type Node = Configuration['leaves'][number]

const lineage = (node: Node): readonly Node[] => (node.parent ? [node, ...lineage(node.parent as Node)] : [node])

const everyEvent = [...orderMachine.events, 'unheard.of'] as readonly string[]

const eventOf = ({ pick, isExpected, carries }: Told, { leaves, context }: Configuration): MachineEvent => {
  // Events of the innermost states move the order on. Events of their parent states mostly end it, so they are rarer.
  const expected = leaves.flatMap((leaf) =>
    lineage(leaf).flatMap((node) =>
      Array<string[]>(node === leaf ? 9 : 1)
        .fill([...node.transitions.keys()])
        .flat(),
    ),
  )
  const types = isExpected ? expected : everyEvent
  const { payments } = context
  const payment = payments[pick % 3 === 0 ? pick % Math.max(1, payments.length) : payments.length - 1]
  return { ...carries, type: types[pick % types.length], inReplyTo: payment?.key ?? 'none' } as unknown as MachineEvent
}

const later = (context: MachineContext, { wait, isTaken }: Told): MachineContext => {
  const { moment } = context
  return {
    ...context,
    moment: { ...moment, at: moment.at + wait, revision: moment.revision + 1, referenceIsTaken: isTaken },
  }
}

const names = (leaves: Configuration['leaves']) => leaves.map(({ id }) => id)

const xstateNames = (snapshot: ReturnType<typeof xstateTransition<typeof orderMachine>>[0]) =>
  snapshot._nodes
    .filter(({ type }) => type === 'atomic')
    .sort((a, b) => a.order - b.order)
    .map(({ id }) => id)

type XStateAction = { readonly type: string; readonly params?: unknown }

// XState also lists raises without delay, although it has handled them within the step; their `delay` is undefined.
const effects = (actions: readonly XStateAction[]): readonly unknown[] =>
  actions.flatMap(({ type, params }): readonly unknown[] => {
    const { id, delay, sendId, ...rest } = (params ?? {}) as Readonly<Record<string, unknown>>
    if (type === 'xstate.raise') return delay === undefined ? [] : [{ type, id, delay }]
    if (type === 'xstate.cancel') return [{ type, sendId }]
    return [{ type, params: rest }]
  })

const leavesBelow = (node: Node): readonly Node[] => {
  const children = Object.values(node.states) as readonly Node[]
  return children.length === 0 ? [node] : children.flatMap(leavesBelow)
}

// A state without meta is only passed through: no order rests in it.
const resting = leavesBelow(orderMachine.root).filter(({ meta }) => meta !== undefined)

/** Takes the transition and checks that XState takes the same one. */
const takenAsByXState = (value: StateValue, { leaves, context }: Configuration, event: MachineEvent) => {
  const [next, actions] = xstateTransition(orderMachine, orderMachine.resolveState({ value, context }), event)
  const taken = transition({ leaves, context }, event)
  expect(names(taken.leaves)).toEqual(xstateNames(next))
  expect(taken.context).toEqual(next.context)
  expect(effects(taken.actions)).toEqual(effects(actions as readonly MachineAction[]))
  return { taken, next }
}

describe('the machine’s transitions, worked out beforehand,', () => {
  it('begin an order as XState does', () => {
    const context = contextFor(['i1'], null, true)
    const [snapshot, actions] = initialTransition(orderMachine, context)
    const begun = begin(context)
    expect(names(begun.leaves)).toEqual(xstateNames(snapshot))
    expect(begun.context).toEqual(snapshot.context)
    expect(effects(begun.actions)).toEqual(effects(actions as readonly MachineAction[]))
  })

  it('give what XState gives, for every path', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(['i1'], ['fp1'], ['pp3', 'i1']),
        fc.constantFrom('http://n', null),
        fc.boolean(),
        fc.array(told, { minLength: 1, maxLength: 60, size: 'max' }),
        (products, notifyUrl, hasWebhook, path) => {
          let context = contextFor(products, notifyUrl, hasWebhook)
          let [{ value }] = initialTransition(orderMachine, context)
          let mine: Configuration = begin(context)
          for (const each of path) {
            context = later(mine.context, each)
            const { taken, next } = takenAsByXState(value, { leaves: mine.leaves, context }, eventOf(each, mine))
            value = next.value
            mine = taken
          }
        },
      ),
      { numRuns: 1500 },
    )
  })

  it('give what XState gives along every shortest path, through each state that an order can rest in', () => {
    const reached = new Set<string>()
    alongShortestPaths(PLACED, TERMS, ({ before, event, moment }) => {
      const leaves = REGIONS.map((region) => nodeAt(pathOf(region, before.state)))
      const context = machineInput(TERMS)(before, moment)
      const { taken } = takenAsByXState(machineValue(before.state), { leaves, context }, machineEvent(event))
      for (const name of names(taken.leaves)) reached.add(name)
    })
    expect([...reached].sort()).toEqual(resting.map(({ id }) => id).sort())
  })
})

describe('what transition.ts does not know', () => {
  afterEach(() => {
    vi.doUnmock('./order-machine.ts')
    vi.resetModules()
  })

  const loaded = (transitions: object): Promise<unknown> => {
    const config = {
      type: 'parallel',
      context: {},
      options: { maxIterations: 100 },
      states: { one: { initial: 'a', states: { a: transitions, b: {} } } },
    }
    vi.resetModules()
    vi.doMock('./order-machine.ts', () => ({ orderMachine: orderSetup.createMachine(config as never) }))
    return import('./transition.ts')
  }

  const guarded = (guard: unknown): object => ({ on: { 'order.confirmed': { target: 'b', guard } } })

  it.each<[string, object]>([
    ['not', guarded(not('isConfirmed'))],
    ['or', guarded(or(['isConfirmed', 'isUnderReview']))],
    ['not, within and', guarded(and(['isConfirmed', not('isUnderReview')]))],
    ['a state by its value', guarded(stateIn('one.a' as never))],
    ['a guard without a name', guarded(() => true)],
    ['a guard that nobody has named', guarded('isUnheardOf')],
    ['a guard whose parameters are worked out', guarded({ type: 'riskIs', params: () => ({ level: 'low_risk' }) })],
    ['an action whose parameters are worked out', { entry: { type: 'revoke', params: () => ({ lane: 'sms' }) } }],
    ['an action without a name', { entry: () => undefined }],
    ['any event', { on: { '*': 'b' } }],
    ['an actor', { invoke: { src: 'unheardOf' } }],
    ['a final state', { type: 'final' }],
  ])('fails when it is loaded: %s', async (_, transitions) => {
    await expect(loaded(transitions)).rejects.toThrow('uses something that transition.ts does not know')
  })

  it.each<[string, object]>([
    ['and', guarded(and(['isConfirmed', 'isUnderReview']))],
    ['a state by its id', guarded(stateIn('#order.one.b' as never))],
  ])('is not %s', async (_, transitions) => {
    await expect(loaded(transitions)).resolves.toBeDefined()
  })
})

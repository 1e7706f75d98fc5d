import { describe, expect, it } from 'vitest'
import type { AnyStateNode } from 'xstate'
import { StateOnWire } from '../protocol/order-view.ts'
import { machineValue, metaOf, ORDER_MODEL, restingStates } from './model.ts'
import { type OrderState, REGIONS, type Region } from './order.ts'
import { nameOnWire, STATES_ON_WIRE } from './order-facts.ts'

const VERIFIED: OrderState = { checkout: 'verified', risk: 'lowRisk', cancellation: 'tooLate' }

const namesOnWire = (region: Region) =>
  restingStates(region).map(
    (name) => [name, nameOnWire(region, { ...VERIFIED, [region]: name })] as const,
  )

const camelCase = (onWire: string): string =>
  onWire.replace(/_./g, (pair) => pair.slice(1).toUpperCase())

describe('the names of an order’s states', () => {
  it.each(REGIONS)('match those of the wire in its region %s', (region) => {
    const names = Object.keys(StateOnWire.type.type.props[region].keys)
    expect([...STATES_ON_WIRE[region]].sort()).toEqual(names.sort())
  })
  it('are those on the wire in camelCase, except for the steps of an ID check', () => {
    const others = REGIONS.flatMap(namesOnWire).filter(
      ([name, onWire]) => camelCase(onWire) !== name,
    )
    expect(others.map(([name]) => name)).toEqual(['started', 'verified', 'unverified', 'errored'])
  })
  it('are XState’s value with the paths that lead to them', () => {
    expect(machineValue({ ...VERIFIED, checkout: 'screening' })).toEqual({
      checkout: { open: { proving: 'screening' } },
      risk: 'lowRisk',
      cancellation: { refused: 'tooLate' },
    })
  })
  it('cause an internal error that names them if the model does not have them', () => {
    const dreaming = { ...VERIFIED, risk: 'dreaming' } as unknown as OrderState
    expect(() => metaOf('risk', dreaming)).toThrow(
      'The model has no state dreaming in its region risk.',
    )
  })
})

describe('whom a state awaits', () => {
  const PARTIES = 'shopper merchant operator screening sms identity payments risk'.split(' ')
  const statesThatAwait = REGIONS.flatMap((region) => [
    ...ORDER_MODEL.states[region].values(),
  ]).filter(({ meta }) => meta.awaits !== undefined)

  const handles = (node: AnyStateNode | undefined, event: string): boolean =>
    node !== undefined && (node.transitions.has(event) || handles(node.parent, event))

  it.each(statesThatAwait.map((state) => [state.path.join('.'), state] as const))(
    'is known, and can end it by the event: %s',
    (_, { node, meta: { awaits: [who, event] = ['', ''] } }) => {
      expect(PARTIES).toContain(who)
      expect(handles(node, event)).toBe(true)
    },
  )
})

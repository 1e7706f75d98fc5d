import { describe, expect, it } from 'vitest'
import { ANA, PLACED } from '../testing/harness/order-fixture.ts'
import type { Order, OrderState } from './order.ts'
import { NEW_CONTEXT } from './order-context.ts'
import {
  hasSameDetails,
  isOver,
  lastingStates,
  type OrderFilter,
  operatorTaskOf,
  orderFacts,
  searchedText,
  stillMatches,
  uuidBeginning,
} from './order-facts.ts'

const UUID = 'cfcd2084-95d5-45ef-a6e7-00000000000a'

const order: Order = {
  placed: { ...PLACED, orderRef: UUID, placedAt: 1 },
  revision: 3,
  state: { checkout: 'reviewing', risk: 'underEvaluation', cancellation: 'tooLate' },
  context: {
    ...NEW_CONTEXT,
    updatedAt: 100,
    person: ANA,
    references: { first: 'Order-7', second: 'ΑΣ' },
  },
}
const { references } = order.context

const withState = (state: object): Order => ({ ...order, state: { ...order.state, ...state } })

describe('the facts of an order', () => {
  it('are its states on the wire, its instants and its references in one case', () => {
    expect(orderFacts(order)).toEqual({
      checkout: 'reviewing',
      lasting: 'reviewing',
      risk: 'under_evaluation',
      cancellation: 'too_late',
      placedAt: 1,
      changedAt: 100,
      search1: 'order-7',
      search2: 'ασ',
    })
  })

  it('leave out what most orders have, and a checkout that passes on', () => {
    const usual = withState({ checkout: 'identifying', risk: 'unassessed', cancellation: 'none' })
    const context = { ...usual.context, references: { first: '', second: '' } }
    expect(orderFacts({ ...usual, context })).toMatchObject({
      checkout: 'identifying',
      ...{ lasting: null, risk: null, cancellation: null, search1: null, search2: null },
    })
    expect([...lastingStates()].sort()).toEqual(
      'cancelled confirmed conflicted expired failed rejected reviewing'.split(' '),
    )
  })

  it('keep the names of states that the model does not have', () => {
    const { state } = withState({ checkout: 'dreaming', risk: 'dreaming', cancellation: 'none' })
    const names = { checkout: 'dreaming', risk: 'dreaming', lasting: null }
    expect(orderFacts({ ...order, state })).toMatchObject(names)
    expect([operatorTaskOf(state), isOver(state)]).toEqual([null, false])
  })

  it.each<[change: Partial<OrderState> | Partial<Order['context']>, isSame: boolean]>([
    [{ checkout: 'confirmed' }, true],
    [{ risk: 'lowRisk' }, false],
    [{ cancellation: 'none' }, false],
    [{ updatedAt: 101 }, true],
    [{ person: { ...ANA } }, false],
    [{ references: { ...references } }, false],
  ])('differ in details after the change %j: not %s', (change, isSame) => {
    const changed = Object.keys(change).some((name) => name in order.state)
      ? withState(change)
      : { ...order, context: { ...order.context, ...change } }
    expect(hasSameDetails(order, changed as Order)).toBe(isSame)
  })
})

it.each([
  ['a'.repeat(101), 'a'.repeat(100)],
  [`${'a'.repeat(99)}\u{1f600}`, `${'a'.repeat(99)}\ufffd`],
  ['A\0b', 'a\ufffdb'],
])('any database can hold what is searched of a text: %j', (text, searched) => {
  expect(searchedText(text)).toBe(searched)
})

it.each([
  ['CFCD', 'cfcd'],
  ['cfc', null],
  ['cfcd2084', 'cfcd2084'],
  ['cfcd20849', 'cfcd2084-9'],
  ['cfcd208495d545efa6e700000000000a', UUID],
  [`${UUID}0`, null],
  [`-${UUID}x`, null],
])('of a uuid, %s is the beginning %s', (text, beginning) => {
  expect(uuidBeginning(text)).toBe(beginning)
})

it.each<[filter: OrderFilter, matches: boolean]>([
  [{}, true],
  [{ state: 'under_evaluation' }, true],
  [{ state: 'confirmed' }, false],
  [{ checkout: 'reviewing', risk: 'under_evaluation', cancellation: 'too_late' }, true],
  [{ checkout: 'reviewing', risk: 'low_risk' }, false],
  [{ cancellation: 'none' }, false],
  [{ changedFrom: 100 }, true],
  [{ changedFrom: 101 }, false],
  [{ text: { value: 'ORDER', isWhole: false } }, true],
  [{ text: { value: 'rder-7', isWhole: false } }, false],
  [{ text: { value: 'order', isWhole: true } }, false],
  [{ text: { value: 'order-7', isWhole: true } }, true],
  [{ text: { value: 'ας', isWhole: true } }, true],
  [{ text: { value: '', isWhole: false } }, false],
  [{ text: { value: 'CFCD2084-95', isWhole: false } }, true],
  [{ text: { value: 'CFCD2084-95', isWhole: true } }, false],
  [{ text: { value: UUID, isWhole: true } }, true],
  [{ text: { value: PLACED.merchant.ref, isWhole: false } }, true],
  [{ text: { value: PLACED.merchant.ref, isWhole: true } }, false],
  [
    { text: { value: PLACED.merchant.ref, isWhole: false }, merchantRef: PLACED.merchant.ref },
    false,
  ],
])('a filter %j still matches the order: %s', (filter, matches) => {
  expect(stillMatches(order, filter)).toBe(matches)
})

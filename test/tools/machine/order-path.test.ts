import { historyLine, type Order } from '@plazo/core'
import { alongShortestPaths } from '@plazo/core/testing'
import { describe, expect, it } from 'vitest'
import { MACHINE_MAP } from '../../../packages/server/src/api/machine/machine-data.ts'
import {
  findOrderPath,
  type PathLine,
} from '../../../packages/server/src/api/machine/order-path.ts'
import { PLACED, TERMS } from './guides.ts'

type OrderVisit = { readonly order: Order; readonly lines: readonly PathLine[] }

/** Each order that a short sequence of events can reach, with its whole history. */
const reachedOrders = (): readonly OrderVisit[] => {
  const histories = new Map<Order, readonly PathLine[]>()
  alongShortestPaths(PLACED, TERMS, ({ before, result }) => {
    if (result.journal.length === 0 || histories.has(result.order)) return
    histories.set(result.order, [
      ...(histories.get(before) ?? []),
      ...result.journal.map(historyLine),
    ])
  })
  return [...histories].map(([order, lines]) => ({ order, lines }))
}

const ORDERS = reachedOrders()

const leaf = (id: string): string => id.slice(id.lastIndexOf('.') + 1)

describe('the way of an order', () => {
  it('ends at the states in which the order is, for every order that a short history can reach', () => {
    for (const { order, lines } of ORDERS) {
      const { active } = findOrderPath(MACHINE_MAP, lines).at(-1) ?? { active: [] }
      expect(active.map(leaf), JSON.stringify(lines)).toEqual(Object.values(order.state))
    }
    expect(ORDERS.length).toBeGreaterThan(1_000)
  })

  it('has a transition for every change of a state', () => {
    for (const { lines } of ORDERS) {
      const path = findOrderPath(MACHINE_MAP, lines)
      const line = lines.at(-1)
      const changed = Object.keys(line?.to ?? {}).filter(
        (region) => line?.from[region] !== line?.to[region],
      )
      const arrows = path.at(-1)?.arrows ?? []
      for (const region of changed)
        expect(
          arrows.filter((arrow) => arrow.startsWith(region)),
          JSON.stringify(line),
        ).not.toEqual([])
    }
  })

  it('uses only transitions of the machine, each beginning where the one before ended', () => {
    const transitions = new Set(MACHINE_MAP.transitions.map(({ arrow }) => arrow))
    const arrows = ORDERS.flatMap(({ lines }) =>
      findOrderPath(MACHINE_MAP, lines).flatMap((step) => step.arrows),
    )
    expect(arrows.filter((arrow) => !transitions.has(arrow))).toEqual([])
    expect(new Set(arrows).size).toBeGreaterThan(40)
  })

  it('shows an unknown history without arrows', () => {
    const line = {
      seq: 1,
      event: 'x',
      detail: null,
      from: { checkout: 'nowhere' },
      to: { checkout: 'elsewhere' },
    }
    expect(findOrderPath(MACHINE_MAP, [line])).toEqual([
      { seq: 1, arrows: [], active: [], causes: [] },
    ])
  })
})

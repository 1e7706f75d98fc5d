// The page of an order highlights its path: for every order that a short history can reach, the path
// must end where the order is, over transitions of the machine.
import { historyLine, type Order } from '@plazo/core'
import { alongShortestPaths } from '@plazo/core/testing'
import { expect, it } from 'vitest'
import { MACHINE_MAP } from '../../../packages/server/src/api/machine/machine-data.ts'
import {
  findOrderPath,
  type PathLine,
} from '../../../packages/server/src/api/machine/order-path.ts'
import { PLACED, TERMS } from './guides.ts'

const histories = new Map<Order, readonly PathLine[]>()
alongShortestPaths(PLACED, TERMS, ({ before, result }) => {
  if (result.journal.length === 0 || histories.has(result.order)) return
  const lines = [...(histories.get(before) ?? []), ...result.journal.map(historyLine)]
  histories.set(result.order, lines)
})

const leaf = (id: string): string => id.slice(id.lastIndexOf('.') + 1)

it('the path of an order ends at its states, over a transition of the machine for each change', () => {
  const transitions = new Set(MACHINE_MAP.transitions.map(({ arrow }) => arrow))
  for (const [order, lines] of histories) {
    const { active = [], arrows = [] } = findOrderPath(MACHINE_MAP, lines).at(-1) ?? {}
    expect(active.map(leaf), JSON.stringify(lines)).toEqual(Object.values(order.state))
    expect(arrows.filter((arrow) => !transitions.has(arrow))).toEqual([])
    const last = lines.at(-1)
    for (const region of Object.keys(last?.to ?? {}))
      if (last?.from[region] !== last?.to[region])
        expect(
          arrows.some((arrow) => arrow.startsWith(region)),
          JSON.stringify(lines),
        ).toBe(true)
  }
  expect(histories.size).toBeGreaterThan(1_000)
})

it('an unknown history has no arrows', () => {
  const [from, to] = [{ checkout: 'nowhere' }, { checkout: 'elsewhere' }]
  expect(findOrderPath(MACHINE_MAP, [{ seq: 1, event: 'x', detail: null, from, to }])).toEqual([
    { seq: 1, arrows: [], active: [], causes: [] },
  ])
})

import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { FullStore, PublicJournalLine } from '../../ports/store.ts'
import { HISTORY_LINES, historyLine, readHistory } from './order-history.ts'

const STATE: PublicJournalLine['from'] = {
  checkout: 'identifying',
  risk: 'unassessed',
  cancellation: 'none',
}
const aLine = (seq: number): PublicJournalLine => ({
  seq,
  at: 0,
  event: 'x',
  detail: null,
  from: STATE,
  to: STATE,
})

const storeWith = (count: number) => {
  const all = Array.from({ length: count }, (_, n) => aLine(n + 1))
  const limits: number[] = []
  const store: Pick<FullStore, 'history'> = {
    history: (_, from, limit) => {
      limits.push(limit)
      const older = all.filter(({ seq }) => seq <= (from ?? count))
      return TE.right({
        lines: older.slice(-limit).reverse(),
        next: older.at(-limit - 1)?.seq ?? null,
      })
    },
  }
  return { store, limits }
}

describe('an order’s history', () => {
  it.each([0, 1, HISTORY_LINES, HISTORY_LINES + 1, 3 * HISTORY_LINES + 7])(
    'of %d lines is read completely and in order, in pages of limited size, with a pause between two',
    async (count) => {
      const { store, limits } = storeWith(count)
      let pauses = 0
      const history = await readHistory(store, async () => {
        pauses += 1
      })('x')()
      if (E.isLeft(history)) throw new Error(history.left._tag)
      const pages: number[] = []
      for (let page = 0; page < history.right.pages; page++) {
        const read = await history.right.read(page)()
        if (E.isLeft(read)) throw new Error(read.left._tag)
        expect(read.right.length).toBeLessThanOrEqual(HISTORY_LINES)
        pages.push(...read.right.map(({ seq }) => seq))
      }
      expect(pages).toEqual(Array.from({ length: count }, (_, n) => n + 1))
      expect(limits.every((limit) => limit === HISTORY_LINES)).toBe(true)
      expect(pauses).toBe(history.right.pages - 1)
    },
  )
})

it.each([
  ['by the operator ana', 'by the operator'],
  ['by the operator', 'by the operator'],
  ['by the merchant', 'by the merchant'],
  [null, null],
])('shows merchants the detail %j as %j', (detail, shown) => {
  expect(historyLine({ ...aLine(1), detail }).detail).toBe(shown)
})

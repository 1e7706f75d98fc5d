import type { HistoryPage, Order } from '@plazo/core/internal'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { orderAt } from '../docs/openapi/examples.ts'
import { followLines, readLines } from './order-lines.ts'

const STATE: HistoryPage['lines'][number]['from'] = {
  checkout: 'identifying',
  risk: 'unassessed',
  cancellation: 'none',
}

/** A history of so many lines, read as stores read them: from the newest to the oldest. */
const historyOf = (count: number) => ({
  history: (_: string, from: number | null, limit: number): TE.TaskEither<never, HistoryPage> => {
    const newest = from ?? count
    const lines = Array.from({ length: Math.min(limit, newest) }, (__, index) => ({
      seq: newest - index,
      at: 0,
      event: 'person.submitted',
      detail: null,
      from: STATE,
      to: STATE,
    }))
    return TE.right({ lines, next: newest > limit ? newest - limit : null })
  },
})

const seqsOf = (lines: readonly { readonly seq: number }[]): readonly number[] =>
  lines.map(({ seq }) => seq)
const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

const next = async (count: number, after: number): Promise<readonly number[]> => {
  const events = await followLines(historyOf(count))({ placed: { orderRef: 'ref' } } as Order)(
    after,
  )
  return events?.map(({ id }) => id) ?? expect.fail('The lines cannot be read.')
}

describe('the next lines of a history', () => {
  it('leave none out if they are read repeatedly', async () => {
    const read: number[] = []
    for (
      let lines = await next(1_450, 0);
      lines.length > 0;
      lines = await next(1_450, read.at(-1) ?? 0)
    )
      read.push(...lines)
    expect(read).toEqual(upTo(1, 1_450))
  })
})

it('the newest 1,000 lines of a history are shown', async () => {
  const order = orderAt('confirmed')
  const show = (count: number) => readLines(historyOf(count))(order)
  expect((await show(1_000)).is_cut).toBe(false)
  const { history, is_cut } = await show(1_001)
  expect([seqsOf(history), is_cut]).toEqual([upTo(2, 1_001), true])
})

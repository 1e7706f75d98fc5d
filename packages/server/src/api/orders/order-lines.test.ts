import type { Order } from '@plazo/core'
import type { HistoryPage } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { followLines, newestLines } from './order-lines.ts'

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

const newest = async (count: number, after: number) => {
  const read = await newestLines(historyOf(count))('ref', after)()
  if (E.isLeft(read)) return expect.fail('The lines cannot be read.')
  return { seqs: seqsOf(read.right.lines), isCut: read.right.isCut }
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

describe('the newest lines of a history', () => {
  it('are all of a short one', async () => {
    expect(await newest(450, 0)).toEqual({ seqs: upTo(1, 450), isCut: false })
    expect(await newest(450, 449)).toEqual({ seqs: [450], isCut: false })
  })

  it('are the last 1,000 of a long one', async () => {
    expect(await newest(1_000, 0)).toEqual({ seqs: upTo(1, 1_000), isCut: false })
    expect(await newest(1_001, 0)).toEqual({ seqs: upTo(2, 1_001), isCut: true })
  })
})

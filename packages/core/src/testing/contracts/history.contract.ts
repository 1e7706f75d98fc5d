// Contract of the capability `history`: the journal without its inputs, a page at a time.
import type { HistoryPage } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import { type StoreShop, unwrap } from './shop.ts'

export const historyContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('history', () => {
    it('reports that an order was never placed', async () => {
      expect(await shop.store.history('nobody', null, 10)()).toEqual(
        E.left({ _tag: 'OrderNotFound' }),
      )
    })

    it('returns the history in pages, newest first, which later lines do not shift', async () => {
      const orderRef = await shop.place()
      const refer = (first: string) =>
        shop.applyEvent(orderRef, { type: 'references.given', first, second: null })
      await shop.place()
      for (const first of ['N-1', 'N-2', 'N-3', 'N-4']) await refer(first)
      const journal = (await shop.journal(orderRef)).map(({ input: _input, ...line }) => line)
      const pages: (readonly number[])[] = []
      for (let from: number | null = null; pages.length === 0 || from !== null; ) {
        const page: HistoryPage = await unwrap(shop.store.history(orderRef, from, 2))
        expect(page.lines).toEqual(
          journal.filter(({ seq }) => page.lines.some((line) => line.seq === seq)).reverse(),
        )
        pages.push(page.lines.map(({ seq }) => seq))
        from = page.next
        await refer(`M-${pages.length}`)
      }
      expect(pages).toEqual([[5, 4], [3, 2], [1]])
      expect(await unwrap(shop.store.history(orderRef, null, 8))).toMatchObject({ next: null })
      expect((await unwrap(shop.store.history(orderRef, null, 7))).next).not.toBe(null)
    })

    it('returns only the oldest lines of a journal, if a limit is given', async () => {
      const orderRef = await shop.place()
      for (const first of ['N-1', 'N-2', 'N-3'])
        await shop.applyEvent(orderRef, { type: 'references.given', first, second: null })
      const journal = await shop.journal(orderRef)
      expect(await unwrap(shop.store.journal(orderRef, 2))).toEqual(journal.slice(0, 2))
      expect(await unwrap(shop.store.journal(orderRef, 100))).toEqual(journal)
    })
  })
}

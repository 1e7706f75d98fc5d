// Erases a shopper in rows. An order is one row, so replacing it is the whole erasure; only backups and
// freed pages of the database still have the former one.
import {
  encodePlaced,
  encodeSnapshot,
  type Order,
  type OrderNotFound,
  orderNotFound,
  type ShopperErasure,
  type Step,
  type StillPending,
  type Unavailable,
  unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { toLines } from '../store/changes.ts'
import { attempt } from '../store/tokens.ts'
import { openContent, openOrder, sealContent } from './row-content.ts'
import type { OrderRow } from './rows.ts'
import type { InTransaction } from './rows-base.ts'
import type { RowsCipher } from './rows-cipher.ts'

const TRIES = 50

type Failure = OrderNotFound | StillPending | Unavailable

export const erasureOver = (inTransaction: InTransaction, cipher: RowsCipher): ShopperErasure => {
  /** False: another process was faster. */
  const replace = (row: OrderRow): Promise<boolean> =>
    inTransaction((rows) => {
      const isNext = rows.read({ id: row.id })?.version === row.version - 1
      if (isNext) rows.put(row)
      return isNext
    })

  return {
    erase: <Err>(ref: string, decide: (order: Order) => E.Either<Err, Step>) =>
      attempt<Err | Failure, 'erased' | 'already_erased'>(async () => {
        for (let tried = 0; tried < TRIES; tried++) {
          const row = await inTransaction((rows) => rows.read({ ref }))
          if (row === undefined) return E.left(orderNotFound)
          const content = await openContent(cipher, row)
          const isRepeated = content.payload === null
          if (isRepeated && content.lines.every(({ input }) => input === null))
            return E.right('already_erased')
          const decided = decide(openOrder(row.revision, content))
          if (E.isLeft(decided)) return decided
          const lanes = row.jobs.map(({ lane }) => lane)
          if (lanes.length > 0) return E.left({ _tag: 'StillPending', lanes: lanes.toSorted() })
          const { order } = decided.right
          const erased = await sealContent(cipher, ref, {
            placed: encodePlaced(order.placed),
            snapshot: encodeSnapshot(order),
            payload: null,
            lines: [...content.lines, ...toLines(decided.right)].map((line) => ({
              ...line,
              input: null,
            })),
            jobs: [],
          })
          const { revision } = order
          if (await replace({ ...row, version: row.version + 1, revision, content: erased }))
            return E.right(isRepeated ? 'already_erased' : 'erased')
        }
        return unavailable(
          'contended',
          'Other processes have changed the order too often meanwhile.',
        )
      }),
  }
}

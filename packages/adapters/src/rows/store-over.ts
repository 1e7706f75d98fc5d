// The store in a database of one row for each order: the one store over the base of rows, and what it
// reads of them besides.
import {
  type Capabilities,
  decodeState,
  effectKey,
  errorMessage,
  type JournalLine,
  type OrderNotFound,
  orderNotFound,
  type ShopperErasure,
  type Store,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { JobRow } from '../store/base.ts'
import { NO_FORMER } from '../store/lease.ts'
import type { Running } from '../store/queue.ts'
import { createStore } from '../store/store.ts'
import { attempt } from '../store/tokens.ts'
import { erasureOver } from './erasure.ts'
import { openContent, rowsOpener } from './row-content.ts'
import type { OrderRow, Rows } from './rows.ts'
import { type InTransaction, rowsBase } from './rows-base.ts'
import { PLAIN, type RowsCipher } from './rows-cipher.ts'

/** A store over rows, with what belongs to it. */
export type StoreOverRows = {
  readonly store: Store &
    Pick<Capabilities, 'onCommitted'> & {
      /** Call it after the commit of a transaction of yours, in which plazo has written. */
      readonly notifyCommitted: () => void
    }
  readonly erasure: ShopperErasure
  /**
   * For a transaction of your program on the same connection: it begins once the store's operations
   * before it have ended, and later ones wait until `run` has settled. So `run` must not wait for
   * this store.
   */
  readonly runAlone: <A>(run: () => A | Promise<A>) => Promise<A>
  /** The jobs that it has given out. */
  readonly running: () => readonly Running[]
}

/** Runs one after another, in the order of the calls. */
const createAlone = (): StoreOverRows['runAlone'] => {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const turn = last.then(run)
    last = turn.catch(() => {})
    return turn
  }
}

/**
 * A store in your database, over five functions. Of all stores in one database, only one may claim
 * jobs. With a cipher, only what an order is found by stays in the clear, and of its jobs all but their
 * payloads and messages. `running`: jobs that an earlier store in the same database has given out, and
 * whose results come to this one.
 */
export const storeOver = (
  rows: Rows,
  cipher: RowsCipher = PLAIN,
  running: readonly Running[] = [],
): StoreOverRows => {
  const runAlone = createAlone()
  const inTransaction: InTransaction = (run) => runAlone(() => rows.transaction(() => run(rows)))
  let hasClaimed = false
  const store = createStore({
    base: rowsBase(inTransaction, cipher),
    open: rowsOpener(cipher),
    ...(rows.isGuest && {
      keepsOrders: false,
      lease: {
        take: async () => {
          hasClaimed = true
          return NO_FORMER
        },
        isHeld: () => hasClaimed,
      },
    }),
    running,
    options: { soon: queueMicrotask, monotonicNow: () => performance.now() },
  })

  const messageOf = async (row: OrderRow, { n }: JobRow<string>): Promise<string> => {
    const { jobs } = await openContent(cipher, row)
    return jobs.find((job) => job.n === n)?.message ?? ''
  }

  return {
    store: {
      ...store,
      journal: (ref, limit) =>
        attempt<OrderNotFound, readonly JournalLine[]>(async () => {
          const row = await inTransaction((rows) => rows.read({ ref }))
          if (row === undefined) return E.left(orderNotFound)
          const { lines } = await openContent(cipher, row)
          return E.right(
            lines.slice(0, limit).map(({ from, to, input, ...line }) => ({
              ...line,
              from: decodeState(from),
              to: decodeState(to),
              input: input && JSON.parse(input),
            })),
          )
        }),
      stuckJobs: () =>
        attempt(async () => {
          const found = await inTransaction((rows) => rows.list('stuck'))
          const stuck = found
            .flatMap((row) => row.jobs.map((job) => ({ row, job })))
            .filter(({ job }) => job.state === 'stuck')
            .sort((a, b) => a.job.madeAt - b.job.madeAt)
          const jobs = stuck.map(async ({ row, job }) => ({
            key: effectKey(row.ref, job.revision, job.lane),
            orderRef: row.ref,
            message: await messageOf(row, job).catch(errorMessage),
          }))
          return E.right(await Promise.all(jobs))
        }),
    },
    erasure: erasureOver(inTransaction, cipher),
    runAlone,
    running: store.running,
  }
}

// The base of a store over rows. A change is applied to the row that was read, and written if the row
// still has that version.
import { isWaiting, type Unavailable, unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Base, ChangeResult, DueKey, DueRow, OrderChange } from '../store/base.ts'
import { attempt } from '../store/tokens.ts'
import { inSequence } from '../store/turns.ts'
import { changeContent } from './row-content.ts'
import type { OrderRow, Rows } from './rows.ts'
import type { RowsCipher } from './rows-cipher.ts'

/** Runs a transaction of rows once those before it have ended. */
export type InTransaction = <A>(run: (rows: Rows) => A) => Promise<A>

const changeRow = async (
  cipher: RowsCipher,
  before: OrderRow | undefined,
  change: OrderChange<string, null>,
): Promise<OrderRow> => {
  const { ref, placed, snapshot, jobCount, added, put, dropped } = change
  const known = (before?.jobs ?? []).map((job) => put.find(({ n }) => n === job.n) ?? job)
  const jobs = [...known, ...added]
    .filter((job) => (isWaiting(job) || job.state === 'stuck') && !dropped.includes(job.n))
    .map((job) => ({ ...job, work: null, message: null }))
  const dueTimes = jobs.flatMap(({ state, dueAt }) => (state === 'pending' ? dueAt : []))
  return {
    id: before?.id ?? 0,
    ref,
    merchantRef: placed?.merchant ?? before?.merchantRef ?? '',
    reference: snapshot === null ? (before?.reference ?? null) : snapshot.reference,
    version: (before?.version ?? -1) + 1,
    revision: snapshot?.revision ?? before?.revision ?? 0,
    jobs,
    jobCount,
    dueAt: dueTimes.length === 0 ? null : Math.min(...dueTimes),
    isStuck: jobs.some(({ state }) => state === 'stuck'),
    content: await changeContent(cipher, before, change, jobs),
  }
}

export const rowsBase = (inTransaction: InTransaction, cipher: RowsCipher): Base<string, null> => {
  const due = async (after: DueKey, until: number): Promise<readonly DueRow[]> => {
    const found = await inTransaction((rows) => rows.list({ until }))
    return found
      .flatMap(({ ref, id: order, jobs }) =>
        jobs
          .filter(({ state, dueAt }) => state === 'pending' && dueAt <= until)
          .map(({ merchantRef: merchant, ...job }) => ({ ...job, ref, order, merchant })),
      )
      .filter((row) => inSequence(row, after) > 0)
      .sort(inSequence)
  }

  return {
    readOrders: (asked) =>
      inTransaction((rows) =>
        asked.flatMap(({ ref, version }) => {
          const row = rows.read({ ref })
          if (row === undefined) return []
          const { content } = row
          return row.version === version
            ? { ref, version }
            : { ...row, key: null, placed: content, snapshot: content }
        }),
      ),
    readWork: (keys) =>
      inTransaction((rows) => keys.map(({ order }) => rows.read({ id: order })?.content ?? null)),
    commit: (changes) =>
      Promise.all(
        changes.map((change) =>
          attempt<Unavailable, ChangeResult<null>>(async () => {
            const { ref, row, snapshot } = change
            const before = await inTransaction((rows) => rows.read({ ref }))
            const after = await changeRow(cipher, before, change)
            return inTransaction((rows) => {
              const version = rows.read({ ref })?.version
              if (row === null && version !== undefined)
                return unavailable('internal_error', 'The order already exists.')
              if (version !== row?.version || version !== before?.version)
                return E.right({ as: 'changed' })
              const { merchantRef } = after
              const reference = snapshot?.requested ?? null
              const holder = reference === null ? null : rows.read({ merchantRef, reference })
              if (holder && holder.ref !== ref) return E.right({ as: 'taken' })
              const id = before?.id ?? rows.lastId() + 1
              rows.put({ ...after, id })
              return E.right({ as: 'done', created: before ? null : { id, key: null } })
            })
          })(),
        ),
      ),
    due: async (after, until, limit) => (await due(after, until)).slice(0, limit),
    dueOf: async (queue, merchant, after, limit) =>
      (await due(after, Number.MAX_SAFE_INTEGER))
        .filter((row) => row.queue === queue && row.merchant === merchant)
        .slice(0, limit),
    goodEndpoints: async () => [],
    // An erasure changes the version of its row.
    erasures: async () => 0,
    nextDueAt: async (after) => {
      const key = { dueAt: after, order: Number.POSITIVE_INFINITY, n: 0 }
      return (await due(key, Number.MAX_SAFE_INTEGER))[0]?.dueAt ?? null
    },
    holderOf: (merchantRef, reference) =>
      inTransaction((rows) => rows.read({ merchantRef, reference })?.ref ?? null),
  }
}

// A base in memory for the property of two dispatchers. Unlike rows it keeps finished deliveries and
// attempts, as the other databases do, so that a history can be judged by what is stored.
import { type EffectPayload, unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { parsePlaced, parseSnapshot } from '../../../packages/adapters/src/sql/decode-order-row.ts'
import type {
  AttemptRow,
  Base,
  DueKey,
  DueRow,
  JobRow,
  LineRow,
  Opener,
  OrderChange,
  OrderRow,
} from '../../../packages/adapters/src/store/base.ts'

export type StoredOrder = OrderRow<string, null> & {
  /** All that are not dropped. */
  readonly jobs: readonly JobRow<string>[]
  readonly lines: readonly LineRow<string>[]
  readonly attempts: readonly AttemptRow<string>[]
}

/** By their `ref`. */
export type Orders = Map<string, StoredOrder>

/** Called with each change. `before` undefined: the order is new. */
export type OnWrite = (before: StoredOrder | undefined, after: StoredOrder) => void

const inSequence = (a: DueKey, b: DueKey): number =>
  a.dueAt - b.dueAt || a.order - b.order || a.n - b.n

export const isUnfinished = ({ state }: Pick<JobRow<string>, 'state'>): boolean =>
  state === 'queued' || state === 'pending' || state === 'stuck'

const NEW = { version: -1, revision: 0, placed: '', snapshot: '', lines: [], attempts: [] }

const changeOrder = (
  before: StoredOrder | undefined,
  id: number,
  {
    ref,
    placed,
    snapshot,
    lines,
    jobCount,
    added,
    put,
    dropped,
    attempts,
  }: OrderChange<string, null>,
): StoredOrder => {
  const old = before ?? { ...NEW, jobs: [] }
  const workOf = (n: number | null) => old.jobs.find((job) => job.n === n)?.work ?? null
  const changeJob = (job: JobRow<string>): JobRow<string> => {
    const changed = put.find(({ n }) => n === job.n)
    return changed ? { ...changed, work: job.work } : job
  }
  return {
    ...{ id, ref, key: null, jobCount, version: old.version + 1 },
    revision: snapshot?.revision ?? old.revision,
    placed: placed?.placed ?? old.placed,
    snapshot: snapshot?.snapshot ?? old.snapshot,
    lines: [...old.lines, ...lines],
    attempts: [...old.attempts, ...attempts],
    jobs: [
      ...old.jobs.filter(({ n }) => !dropped.includes(n)).map(changeJob),
      ...added.map((job) => ({ ...job, work: job.work ?? workOf(job.resendOf) })),
    ],
  }
}

export const baseInMemory = (orders: Orders, onWrite: OnWrite): Base<string, null> => {
  const due = (after: DueKey): readonly DueRow[] =>
    [...orders.values()]
      .flatMap(({ ref, id: order, jobs }) =>
        jobs.flatMap(({ n, state, dueAt, queue, merchantRef: merchant, account }) =>
          state === 'pending' ? { ref, order, n, dueAt, queue, merchant, account } : [],
        ),
      )
      .filter((row) => inSequence(row, after) > 0)
      .sort(inSequence)

  return {
    readOrders: async (asked) =>
      asked.flatMap(({ ref, version }) => {
        const row = orders.get(ref)
        if (row === undefined) return []
        const isResent = ({ n }: JobRow<string>) => row.jobs.some(({ resendOf }) => resendOf === n)
        const jobs = row.jobs.filter((job) => isUnfinished(job) || isResent(job))
        return row.version === version ? { ref, version } : { ...row, jobs }
      }),
    readWork: async (keys) => {
      const rows = [...orders.values()]
      return keys.map(({ order, n }) => {
        const jobs = rows.find(({ id }) => id === order)?.jobs
        return jobs?.find((job) => job.n === n)?.work ?? null
      })
    },
    commit: async (changes) =>
      changes.map((change) => {
        const before = orders.get(change.ref)
        if (change.row === null && before !== undefined)
          return unavailable('internal_error', 'The order already exists.')
        if (change.row?.version !== before?.version) return E.right({ as: 'changed' })
        const after = changeOrder(before, before?.id ?? orders.size + 1, change)
        onWrite(before, after)
        orders.set(change.ref, after)
        return E.right({ as: 'done', created: before ? null : { id: after.id, key: null } })
      }),
    due: async (after, until, limit) =>
      due(after)
        .filter(({ dueAt }) => dueAt <= until)
        .slice(0, limit),
    dueOf: async (queue, merchant, after, limit) =>
      due(after)
        .filter((row) => row.queue === queue && row.merchant === merchant)
        .slice(0, limit),
    goodEndpoints: async () => [],
    erasures: async () => 0,
    nextDueAt: async (after) => due({ dueAt: after, order: Infinity, n: 0 })[0]?.dueAt ?? null,
    holderOf: async () => null,
  }
}

export const plainOpener: Opener<string, null> = {
  order: ({ placed, revision, snapshot }) => ({
    placed: parsePlaced(placed),
    revision,
    ...parseSnapshot(snapshot),
  }),
  work: (_order, _job, value) => JSON.parse(value) as EffectPayload,
}

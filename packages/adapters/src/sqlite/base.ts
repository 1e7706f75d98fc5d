// The base of the store on SQLite: what it reads. `writer.ts` writes, perhaps in another thread.
import type { EncryptedDataKey } from '../encryption/cipher.ts'
import type { Dialect } from '../sql/dialect.ts'
import { dueJobs, JOB_COLUMNS } from '../sql/due-jobs.ts'
import type { Base, JobRow, OrderRow } from '../store/base.ts'
import type { Sealed } from '../store/seal.ts'
import { encodeReference } from './order-columns.ts'
import { type Database, stablePlan } from './schema/database.ts'
import { throwUnavailable } from './unavailable.ts'

type Row = Omit<OrderRow<Sealed, EncryptedDataKey>, 'key' | 'jobs'> & EncryptedDataKey

type StoredJob = Omit<JobRow<Sealed>, 'isRevoked'> & { readonly isRevoked: number }

export const sqliteBase = (
  db: Database,
  dialect: Dialect,
  commit: Base<Sealed, EncryptedDataKey>['commit'],
): Base<Sealed, EncryptedDataKey> => {
  const versionOf = db
    .prepare<[string], number>('select version from orders where order_ref = ?')
    .pluck()
  const order = db.prepare<[string], Row>(`
    select o.order_ref as ref, o.id, o.version, o.revision, o.job_count as jobCount, o.snapshot, p.placed,
      k.key_id as keyId, k.tag, k.ciphertext
    from orders o join placements p on p.order_id = o.id join data_keys k on k.order_id = o.id where o.order_ref = ?`)
  const jobs = db.prepare<[number], StoredJob>(stablePlan`
    select ${JOB_COLUMNS}, resend_of as resendOf, null as message, null as work
    from outbox b where b.order_id = ? and (state in ('queued', 'pending', 'stuck')
      or n in (select resend_of from outbox r where r.order_id = b.order_id and r.resend_of is not null))
    order by n`)
  const work = db
    .prepare<[number, number], Sealed>('select work from outbox where order_id = ? and n = ?')
    .pluck()
  const erasures = db.prepare<[], number>('select count from key_changes').pluck()
  const holder = db
    .prepare<[string, string], string>(
      'select order_ref from orders where merchant_ref = ? and held_reference = ?',
    )
    .pluck()

  const readOrder = (ref: string): OrderRow<Sealed, EncryptedDataKey>[] => {
    const row = order.get(ref)
    if (row === undefined) return []
    const { keyId, tag, ciphertext, ...columns } = row
    const key = { keyId, tag, ciphertext }
    const ofOrder = jobs
      .all(row.id)
      .map(({ isRevoked, ...job }) => ({ ...job, isRevoked: isRevoked === 1 }))
    return [{ ...columns, key, jobs: ofOrder }]
  }

  return {
    commit,
    ...dueJobs(dialect),
    readOrders: async (asked) =>
      throwUnavailable(() =>
        asked.flatMap(({ ref, version }) =>
          version !== null && versionOf.get(ref) === version ? [{ ref, version }] : readOrder(ref),
        ),
      ),
    readWork: async (keys) =>
      throwUnavailable(() => keys.map(({ order: id, n }) => work.get(id, n) ?? null)),
    erasures: async () => throwUnavailable(() => erasures.get() ?? 0),
    holderOf: async (merchant, reference) =>
      throwUnavailable(() => holder.get(merchant, encodeReference(reference)) ?? null),
  }
}

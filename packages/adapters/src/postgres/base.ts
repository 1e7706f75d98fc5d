// The base of the store on PostgreSQL. One statement commits the changes of many orders, another one
// reads many. An order that has the version which the caller knows is not read again.
import { type OrderModel, unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { EncryptedDataKey } from '../encryption/cipher.ts'
import { batchCalls } from '../sql/batch-calls.ts'
import type { Dialect } from '../sql/dialect.ts'
import { dueJobs, JOB_COLUMNS } from '../sql/due-jobs.ts'
import type { Asked, Base, ChangeResult, OrderChange, OrderRow } from '../store/base.ts'
import type { Sealed } from '../store/seal.ts'
import { type Connection, type Query, statement } from './connection/connection.ts'
import { COMMIT } from './sql/commit.sql.ts'
import { encodeReference, isUuid } from './sql/values.ts'
import { isConflict, isRowError, postgresUnavailable, throwUnavailable } from './unavailable.ts'

type CommitOptions = {
  /** For tests: called right before a write is sent, and right after it was answered. */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

export type WriteOptions = CommitOptions & {
  /** The model of the host's terms, by which lists read. Default: `ORDER_MODEL`. */
  readonly model?: OrderModel
  /** How many jobs may wait before further requests are refused. */
  readonly capacity?: number
}

type BaseOptions = CommitOptions &
  Pick<PostgresBase, 'erasures'> & {
    /** Milliseconds that a commit waits for a lock. Null: as long as the transaction that it is part of. */
    readonly lockTimeout: number | null
  }

type PostgresBase = Base<Sealed, EncryptedDataKey>
type SealedChange = OrderChange<Sealed, EncryptedDataKey>
type Outcome = Awaited<ReturnType<PostgresBase['commit']>>[number]

const base64Sql = (column: string): string => `encode(${column}, 'base64')`

// An unchanged order is answered in 200 bytes. Each column costs 20 of them, so all others are one.
const READ = statement('orders-read')`
  select a.place, o.version, row_to_json(r) as "order"
  from unnest($1::uuid[], $2::integer[]) with ordinality as a(ref, version, place)
  cross join lateral (
    select id, version, revision, job_count from plazo.orders o where o.order_ref = a.ref limit 1) o
  left join lateral (
    select o.id, o.revision, o.job_count as "jobCount", ${base64Sql('s.snapshot')} as snapshot,
      ${base64Sql('p.placed')} as placed, k.key_id as "keyId", k.tag, ${base64Sql('k.ciphertext')} as ciphertext,
      (select coalesce(json_agg(j order by n), '[]') from (
        select ${JOB_COLUMNS}, resend_of as "resendOf", null as message, null as work from plazo.outbox b
        where b.order_id = o.id and (b.state in ('queued', 'pending', 'stuck') or b.n in (
          select resend_of from plazo.outbox r where r.order_id = o.id and resend_of is not null))) j) as jobs
    from plazo.snapshots s
    join plazo.placements p on p.order_id = o.id
    join plazo.data_keys k on k.order_id = o.id
    where s.order_id = o.id and o.version is distinct from a.version limit 1) r on true`

const WORK = statement('jobs-work')`
  select (select work from plazo.outbox b where b.order_id = j.order_id and b.n = j.n)
  from unnest($1::bigint[], $2::integer[]) with ordinality as j(order_id, n, place) order by j.place`

const HOLDER = statement('reference-holder')`
  select o.order_ref as ref from plazo.held_references h join plazo.orders o on o.id = h.order_id
  where h.merchant_ref = $1 and h.reference = $2`

const READS_MAX = 500

const base64 = (value: Sealed | null): string | null =>
  value === null ? null : Buffer.from(value).toString('base64')

const toOrderRow = ({ ref, row, placed, snapshot, jobCount, code }: SealedChange) => {
  const isHolding = snapshot?.reference !== snapshot?.referenceBefore
  const encode = (reference: string | null | undefined) => reference && encodeReference(reference)
  return {
    ref,
    version: row?.version,
    jobCount,
    ...(code && { code: code.number, codeAt: code.at }),
    ...(placed?.key && {
      placed: base64(placed.placed),
      payload: base64(placed.payload),
      ...placed.key,
      ciphertext: base64(placed.key.ciphertext),
    }),
    ...(snapshot && {
      merchant: snapshot.merchant,
      revision: snapshot.revision,
      snapshot: base64(snapshot.snapshot),
      requested: encode(snapshot.requested),
      held: isHolding ? encode(snapshot.reference) : null,
      released: isHolding ? encode(snapshot.referenceBefore) : null,
      changesTask: snapshot.task !== null,
      ...snapshot.task,
      ...snapshot.facts,
    }),
  }
}

/** The values of the statement that commits. */
const toRows = (changes: readonly SealedChange[]): readonly string[] => {
  const rowsOf = (rows: (change: SealedChange) => readonly object[]): string =>
    JSON.stringify(
      changes.flatMap((change, n) => rows(change).map((row) => ({ k: n + 1, ...row }))),
    )
  const jobsOf = (jobs: SealedChange['added']) =>
    jobs.map((job) => ({ ...job, message: base64(job.message), work: base64(job.work) }))
  return [
    rowsOf((change) => [toOrderRow(change)]),
    rowsOf(({ lines }) => lines.map((line) => ({ ...line, input: base64(line.input) }))),
    rowsOf(({ added }) => jobsOf(added)),
    rowsOf(({ put }) => jobsOf(put)),
    rowsOf(({ dropped }) => dropped.map((n) => ({ n }))),
    rowsOf(({ attempts }) => attempts.map((each) => ({ ...each, report: base64(each.report) }))),
    rowsOf(({ endpoints }) => endpoints),
  ]
}

/** `order`: null if the order is unchanged. */
type ReadRow = {
  readonly place: number
  readonly version: number
  readonly order:
    | (Omit<OrderRow<string, never>, 'ref' | 'version' | 'key'> & {
        readonly keyId: string
        readonly tag: number
        readonly ciphertext: string
      })
    | null
}

const toOrder = (ref: string, { version, order }: ReadRow) => {
  if (order === null) return { ref, version }
  const { keyId, tag, ciphertext, snapshot, placed, ...row } = order
  return {
    ref,
    version,
    ...row,
    key: { keyId, tag, ciphertext: Buffer.from(ciphertext, 'base64') },
    snapshot: Buffer.from(snapshot, 'base64'),
    placed: Buffer.from(placed, 'base64'),
  }
}

export const postgresBase = (
  connection: Connection,
  dialect: Dialect,
  { onCommit, erasures, lockTimeout }: BaseOptions,
): PostgresBase => {
  const query: Query = <Row>(...args: Parameters<Query>) =>
    connection.query<Row>(...args).catch(throwUnavailable)

  const readOrder = batchCalls(async (asked: readonly Asked[]) => {
    const rows = await query<ReadRow>(
      READ,
      asked.map(({ ref }) => ref),
      asked.map(({ version }) => version),
    )
    const found = new Map(rows.map((row) => [row.place, row]))
    return asked.map(({ ref }, n) => {
      const row = found.get(n + 1)
      return row === undefined ? [] : [toOrder(ref, row)]
    })
  }, READS_MAX)

  /** Never rejects. If one of the changes has wrong rows, or its order is locked, each is tried alone. */
  const write = async (changes: readonly SealedChange[]): Promise<readonly Outcome[]> => {
    type Row = {
      readonly k: number
      readonly id: number
      readonly result: ChangeResult<never>['as']
    }
    try {
      onCommit?.('before')
      const rows = await connection.query<Row>(COMMIT, ...toRows(changes), lockTimeout)
      onCommit?.('after')
      const results = new Map(rows.map((row) => [row.k, row]))
      return changes.map((change, n) => {
        const { id, result } = results.get(n + 1) ?? { id: 0, result: 'changed' }
        if (result === 'exists') return unavailable('internal_error', 'The order already exists.')
        if (result !== 'done') return E.right({ as: result })
        const key = change.placed?.key
        return E.right({ as: result, created: key ? { id, key } : null })
      })
    } catch (cause) {
      if (changes.length === 1 || !(isConflict(cause) || isRowError(cause)))
        return changes.map(() =>
          isConflict(cause) ? E.right({ as: 'changed' }) : E.left(postgresUnavailable(cause)),
        )
      const outcomes: Outcome[] = []
      for (const change of changes) outcomes.push(...(await write([change])))
      return outcomes
    }
  }

  return {
    ...dueJobs(dialect),

    readOrders: async (asked) =>
      (await Promise.all(asked.filter(({ ref }) => isUuid(ref)).map(readOrder))).flat(),

    readWork: async (jobs) => {
      const rows = await query<{ readonly work: Buffer | null }>(
        WORK,
        jobs.map(({ order }) => order),
        jobs.map(({ n }) => n),
      )
      return rows.map(({ work }) => toSealed(work))
    },

    commit: async (changes) => {
      const outcomesOfSeal = changes.map((change) =>
        E.tryCatch(() => dialect.sealer.seal(change), postgresUnavailable),
      )
      const sealedChanges = outcomesOfSeal.flatMap((each) => (E.isRight(each) ? [each.right] : []))
      const written = (sealedChanges.length === 0 ? [] : await write(sealedChanges)).values()
      return outcomesOfSeal.map((each) =>
        E.isLeft(each) ? each : written.next().value,
      ) as Outcome[]
    },

    erasures,

    holderOf: async (merchant, reference) => {
      const [holder] = await query<{ readonly ref: string }>(
        HOLDER,
        merchant,
        encodeReference(reference),
      )
      return holder?.ref ?? null
    },
  }
}

const FORMAT_OF_TEXT = '{'.charCodeAt(0)

/** Payloads without personal data are JSON, all others are encrypted. */
const toSealed = (value: Buffer | null): Sealed | null =>
  value?.[0] === FORMAT_OF_TEXT ? value.toString() : value

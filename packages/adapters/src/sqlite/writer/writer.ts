// Writes to SQLite: the changes of many orders in one transaction, so that one flush pays for all of
// them. They are sealed here, because this may run in another thread than the decisions. One kind of
// rows is written for all orders before the next kind: the code of all kinds is larger than a
// processor's caches, and the code of one kind is not.
import { statSync } from 'node:fs'
import { type Unavailable, UnavailableError, unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Cipher, EncryptedDataKey } from '../../encryption/cipher.ts'
import { codeIsOfDay, mayGetCode } from '../../sql/code-limits.ts'
import type { ChangeResult, EndpointNote, JobRow, OrderChange } from '../../store/base.ts'
import { createSealer, type Sealed } from '../../store/seal.ts'
import { encodeReference, FACTS, factValues, PROGRESS } from '../order-columns.ts'
import { type Database, WITHIN_TRANSACTION } from '../schema/database.ts'
import { sqliteUnavailable } from '../unavailable.ts'
import { keepLogSmall } from '../wal/write-ahead-log.ts'

export type PlainChange = OrderChange<string, EncryptedDataKey>
export type Result = ChangeResult<EncryptedDataKey>

/** A statement that writes, for what belongs to no change of an order. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] }

/** What a transaction writes. */
export type Item = PlainChange | readonly Statement[]

export type Outcome = E.Either<Unavailable, Result | { readonly rows: readonly unknown[] }>

/** Returns an outcome for each item. Never throws. */
export type Writer = (items: readonly Item[]) => readonly Outcome[]

export type CommitMoments = {
  /**
   * For tests of crashes: called inside the transaction, right before it commits, and right after. No
   * other thread writes then.
   */
  readonly onCommit?: ((moment: 'before' | 'after') => void) | undefined
}

type WriterOptions = CommitMoments & { readonly cipher: Cipher }

type SealedChange = OrderChange<Sealed, EncryptedDataKey>

/** A change that may be written. `lastLine`: the row of the last line of its journal. */
type Accepted = {
  readonly change: SealedChange
  id: number
  lastLine: number | null
}

const marks = (count: number): string => Array(count).fill('?').join(', ')

const JOB_COLUMNS = [
  ...['order_id', 'n', 'revision', 'lane', 'queue', 'merchant', 'account', 'event', 'expires_at'],
  ...['excludes', 'resend_of', 'made_at', 'state', 'due_at', 'attempts', 'tries', 'first_at'],
  ...['revoked', 'cause', 'message', 'work'],
]

const createRows = (db: Database) => {
  const findOrder = db
    .prepare<[string], number>('select id from orders where order_ref = ?')
    .pluck()
  const findVersion = db.prepare<
    [number],
    { readonly version: number; readonly last_line: number | null }
  >('select version, last_line from orders where id = ?')
  const holderOf = db
    .prepare<[string, string], number>(
      'select id from orders where merchant_ref = ? and held_reference = ?',
    )
    .pluck()
  const insertOrder = db.prepare(`
    insert into orders (order_ref, merchant_ref, held_reference, revision, snapshot, job_count, ${FACTS.join(', ')})
    values (${marks(6 + FACTS.length)})`)
  const insertPlacement = db.prepare(
    'insert into placements (order_id, placed, payload) values (?, ?, ?)',
  )
  const insertKey = db.prepare(
    'insert into data_keys (order_id, key_id, tag, ciphertext) values (?, ?, ?, ?)',
  )
  const insertLine = db.prepare(`
    insert into journal (order_id, seq, at, event, detail, from_state, to_state, input, previous)
    values (${marks(9)})`)
  const setLastLine = db.prepare('update orders set last_line = ? where id = ?')
  const setSql = (facts: readonly string[]): string => `
    update orders set version = version + 1, job_count = ?, revision = ?, snapshot = ?, held_reference = ?, last_line = ?,
      ${facts.map((fact) => `${fact} = ?`).join(', ')} where id = ?`
  const updateOrder = db.prepare(setSql(FACTS))
  // Without the details of the facts, because binding them is a large part of the cost.
  const updateProgress = db.prepare(setSql(FACTS.slice(0, PROGRESS)))
  const touchOrder = db.prepare(
    'update orders set version = version + 1, job_count = ? where id = ?',
  )
  const setTask = db.prepare(
    'insert or replace into operator_tasks (order_id, merchant_ref, why, since) values (?, ?, ?, ?)',
  )
  const clearTask = db.prepare('delete from operator_tasks where order_id = ?')
  const insertJob = db.prepare(`
    insert into outbox (${JOB_COLUMNS.join(', ')}) values (${marks(JOB_COLUMNS.length - 1)},
      coalesce(?, (select work from outbox where order_id = ? and n = ?)))`)
  const updateJob = db.prepare(`
    update outbox set state = @state, due_at = @dueAt, attempts = @attempts, tries = @tries, first_at = @firstAt,
      revoked = @revoked, cause = @cause, message = iif(@state = 'stuck', coalesce(@message, message), null)
    where order_id = @order and n = @n`)
  const dropJob = db.prepare('delete from outbox where order_id = ? and n = ?')
  const insertAttempt = db.prepare(`
    insert into attempts (order_id, job, n, cause, started_at, outcome, duration, status, error, report)
    values (${marks(10)})`)
  // The row of an endpoint that is well is written once a minute.
  const noteEndpoint = db.prepare(`
    insert into endpoints as e (merchant, kind, is_good, last_good_at, failing_since, failures)
    values (@merchant, @kind, @isGood, @goodAt, @failedAt, @failedAt is not null)
    on conflict do update set is_good = excluded.is_good,
      last_good_at = coalesce(max(e.last_good_at, excluded.last_good_at), excluded.last_good_at, e.last_good_at),
      failing_since = iif(@goodAt is null, coalesce(e.failing_since, @failedAt), null),
      failures = iif(@goodAt is null, e.failures + 1, 0)
    where @goodAt is null or e.failing_since is not null or e.last_good_at is null
      or @goodAt - e.last_good_at > 60000 or e.is_good is not excluded.is_good`)

  const countCode = db.prepare(`
    insert into code_counts as c (number, sent_at, last_at) values (@number, json_array(@at), @at)
    on conflict do update set last_at = @at, sent_at = (
      select json_group_array(value) from (
        select value from json_each(c.sent_at) where ${codeIsOfDay('@at', 'value')} union all select @at))
    where (
      select ${mayGetCode('@at', 'value')} from json_each(c.sent_at) where ${codeIsOfDay('@at', 'value')})`)

  const holdsOther = ({ row, snapshot }: SealedChange): boolean => {
    if (snapshot === null || snapshot.requested === null) return false
    const holder = holderOf.get(snapshot.merchant, encodeReference(snapshot.requested))
    return holder !== undefined && holder !== row?.id
  }

  const insertNew = (accepted: Accepted): void => {
    const { change } = accepted
    const { ref, snapshot, jobCount } = change
    if (snapshot === null) throw new Error('A new order has no snapshot.')
    const { merchant, reference, revision, facts } = snapshot
    const { lastInsertRowid } = insertOrder.run(
      ...[
        ref,
        merchant,
        reference && encodeReference(reference),
        revision,
        snapshot.snapshot,
        jobCount,
      ],
      ...factValues(facts),
    )
    accepted.id = Number(lastInsertRowid)
  }

  const insertPlaced = ({ id, change: { placed } }: Accepted): void => {
    if (placed === null || placed.key === null) throw new Error('A new order has no key.')
    const { keyId, tag, ciphertext } = placed.key
    insertPlacement.run(id, placed.placed, placed.payload)
    insertKey.run(id, keyId, tag, ciphertext)
  }

  const appendLines = (accepted: Accepted): void => {
    for (const { seq, at, event, detail, from, to, input } of accepted.change.lines)
      accepted.lastLine = Number(
        insertLine.run(accepted.id, seq, at, event, detail, from, to, input, accepted.lastLine)
          .lastInsertRowid,
      )
  }

  const update = ({ id, change: { row, snapshot, jobCount }, lastLine }: Accepted): void => {
    if (row === null) setLastLine.run(lastLine, id)
    else if (snapshot === null) touchOrder.run(jobCount, id)
    else {
      const { revision, keepsDetails, facts } = snapshot
      const reference = snapshot.reference && encodeReference(snapshot.reference)
      const values = [jobCount, revision, snapshot.snapshot, reference, lastLine]
      if (keepsDetails) updateProgress.run(...values, ...factValues(facts).slice(0, PROGRESS), id)
      else updateOrder.run(...values, ...factValues(facts), id)
    }
  }

  const writeTask = ({ id, change: { snapshot } }: Accepted): void => {
    if (snapshot === null || snapshot.task === null) return
    const { why, since } = snapshot.task
    if (why === null) clearTask.run(id)
    else setTask.run(id, snapshot.merchant, why, since)
  }

  const insert = (id: number, job: JobRow<Sealed>): void => {
    insertJob.run(
      ...[id, job.n, job.revision, job.lane, job.queue, job.merchantRef, job.account, job.event],
      ...[job.expiresAt, job.excludes, job.resendOf, job.madeAt, job.state, job.dueAt],
      ...[job.attempts, job.tries, job.firstAt, Number(job.isRevoked), job.cause, job.message],
      ...[job.work, id, job.resendOf],
    )
  }

  const put = (order: number, job: JobRow<Sealed>): void => {
    const { n, state, dueAt, attempts, tries, firstAt, cause, message } = job
    const revoked = Number(job.isRevoked)
    updateJob.run({ order, n, state, dueAt, attempts, tries, firstAt, revoked, cause, message })
  }

  const note = ({ merchant, kind, startedAt, isAccepted, isGood }: EndpointNote): void => {
    const [goodAt, failedAt] = isAccepted ? [startedAt, null] : [null, startedAt]
    noteEndpoint.run({ merchant, kind, isGood: Number(isGood), goodAt, failedAt })
  }

  return {
    /** A result if the change cannot be written. */
    check: (change: SealedChange): Outcome | Accepted => {
      const { ref, row } = change
      if (row === null) {
        if (findOrder.get(ref) !== undefined)
          return unavailable('internal_error', 'The order already exists.')
        return holdsOther(change) ? E.right({ as: 'taken' }) : { change, id: 0, lastLine: null }
      }
      const current = findVersion.get(row.id)
      if (current?.version !== row.version) return E.right({ as: 'changed' })
      if (holdsOther(change)) return E.right({ as: 'taken' })
      return { change, id: row.id, lastLine: current.last_line }
    },
    /** False: the number has had its codes. */
    countsCode: ({ code }: SealedChange): boolean =>
      code === undefined || countCode.run(code).changes === 1,
    write: (all: readonly Accepted[]): void => {
      const placed = all.filter(({ change }) => change.row === null)
      for (const each of placed) insertNew(each)
      for (const each of placed) insertPlaced(each)
      for (const each of all) appendLines(each)
      for (const each of all) update(each)
      for (const each of all) writeTask(each)
      for (const { id, change } of all) for (const job of change.added) insert(id, job)
      for (const { id, change } of all) for (const job of change.put) put(id, job)
      for (const { id, change } of all) for (const n of change.dropped) dropJob.run(id, n)
      for (const { id, change } of all)
        for (const each of change.attempts) {
          const { n, number, cause, startedAt, outcome, durationMillis, status, error, report } =
            each
          insertAttempt.run(
            ...[id, n, number, cause, startedAt, outcome, durationMillis, status, error, report],
          )
        }
      for (const { change } of all) for (const each of change.endpoints) note(each)
    },
  }
}

/** Two new orders of one batch may request the same reference. The second one is decided again. */
const createRequests = () => {
  const requested = new Set<string>()
  return ({ snapshot }: SealedChange): boolean => {
    if (snapshot === null || snapshot.requested === null) return true
    const key = JSON.stringify([snapshot.merchant, snapshot.requested])
    const isFirst = !requested.has(key)
    requested.add(key)
    return isFirst
  }
}

export const sqliteWriter = (db: Database, options: WriterOptions): Writer => {
  const { cipher, onCommit } = options
  const sealer = createSealer(cipher)
  const rows = createRows(db)
  const prepared = new Map<string, ReturnType<Database['prepare']>>()
  const begin = db.prepare('begin immediate')
  const commit = db.prepare('commit')
  const rollback = db.prepare('rollback')
  const assertSameFile = createFileGuard(db)
  const limitLogAfterCommit = keepLogSmall(db)

  const sealOrFail = (item: Item): Outcome | SealedChange | readonly Statement[] => {
    if (isStatements(item)) return item
    try {
      return sealer.seal(item)
    } catch (cause) {
      return E.left(sqliteUnavailable(cause))
    }
  }

  /** Few texts are ever run here, so each is prepared once. */
  const runStatement = ({ text, values }: Statement): readonly unknown[] => {
    const statement = prepared.get(text) ?? db.prepare(text)
    prepared.set(text, statement)
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  }

  const commitAll = (sealed: readonly ReturnType<typeof sealOrFail>[]): readonly Outcome[] => {
    assertSameFile()
    begin.run()
    const isFirst = createRequests()
    const checked = sealed.map((each) => {
      if (isStatements(each) || '_tag' in each) return each
      const found = rows.check(each)
      if ('_tag' in found) return found
      if (!isFirst(each)) return E.right(CHANGED)
      return rows.countsCode(each) ? found : E.right({ as: 'refused' } as const)
    })
    rows.write(checked.flatMap((each) => (!isStatements(each) && 'change' in each ? [each] : [])))
    const outcomes = checked.map((each): Outcome => {
      if (isStatements(each)) return E.right({ rows: each.map(runStatement).at(-1) ?? [] })
      if ('_tag' in each) return each
      const { id, change } = each
      const key = change.placed?.key
      return E.right({ as: 'done', created: key ? { id, key } : null })
    })
    onCommit?.('before')
    commit.run()
    onCommit?.('after')
    return outcomes
  }

  const write = (sealed: readonly ReturnType<typeof sealOrFail>[]): readonly Outcome[] => {
    try {
      return commitAll(sealed)
    } catch (cause) {
      if (db.inTransaction) rollback.run()
      const error = sqliteUnavailable(cause)
      // Rows that the tables refuse: the others are written without them.
      if (error.code === 'internal_error' && sealed.length > 1)
        return sealed.flatMap((each) => write([each]))
      return sealed.map(() => E.left(error))
    }
  }

  return (items) => {
    // Otherwise its rollback would be that of the embedding program's transaction.
    if (db.inTransaction) return items.map(() => E.left(WITHIN_TRANSACTION))
    const outcomes = write(items.map(sealOrFail))
    limitLogAfterCommit()
    return outcomes
  }
}

const isStatements = (item: object): item is readonly Statement[] => Array.isArray(item)

const CHANGED = { as: 'changed' } as const

/**
 * Detects that the database file was deleted, or replaced by a backup, while it was open. SQLite
 * would keep writing to the old file, and all of that would be lost when the process ends. Throws
 * if the path now has another file or none.
 */
const createFileGuard = (db: Database): (() => void) => {
  const opened = db.memory ? undefined : statSync(db.name, { throwIfNoEntry: false })
  return () => {
    if (opened === undefined) return
    const now = statSync(db.name, { throwIfNoEntry: false })
    if (now?.ino !== opened.ino || now.dev !== opened.dev)
      throw new UnavailableError({
        code: 'file_replaced',
        message: 'The database’s file was removed or replaced. Restore it, or restart the server.',
      })
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type UnavailableCode, unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCipher, type EncryptedDataKey } from '../../encryption/cipher.ts'
import { newKeyring } from '../../encryption/keyring.ts'
import type { JobRow, SnapshotRow, StoredFacts } from '../../store/base.ts'
import { openDatabase } from '../schema/database.ts'
import { type PlainChange, sqliteWriter } from './writer.ts'

const FACTS: StoredFacts = {
  checkout: 'identification',
  lasting: null,
  risk: 'unassessed',
  cancellation: 'none',
  placedAt: 0,
  changedAt: 0,
  search1: null,
  search2: null,
  person: null,
}

const aSnapshot = (revision: number): SnapshotRow<string> => ({
  merchant: 'demo',
  revision,
  snapshot: '{}',
  facts: FACTS,
  keepsDetails: false,
  reference: null,
  referenceBefore: null,
  requested: null,
  task: null,
})

const aLine = (seq: number) => ({
  ...{ seq, at: 0, event: 'event', detail: null, from: 'a a a', to: 'b b b', input: '{}' },
})

const aJob = (n: number, changes: Partial<JobRow<string>> = {}): JobRow<string> => ({
  n,
  revision: 1,
  lane: 'sms',
  queue: 'work',
  merchantRef: 'demo',
  account: 'demo',
  event: null,
  state: 'pending',
  dueAt: 0,
  expiresAt: null,
  excludes: null,
  attempts: 0,
  tries: 0,
  firstAt: null,
  isRevoked: false,
  cause: null,
  resendOf: null,
  madeAt: 0,
  message: null,
  work: '{"kind":"timer","timer":"expiry"}',
  ...changes,
})

/** A new order with one job. */
const aNewOrder = (ref: string, changes: Partial<PlainChange> = {}): PlainChange => ({
  ref,
  row: null,
  placed: { merchant: 'demo', placed: '{}', payload: '{}', key: null },
  snapshot: aSnapshot(1),
  lines: [aLine(1)],
  jobCount: 1,
  added: [aJob(1)],
  put: [],
  dropped: [],
  attempts: [],
  endpoints: [],
  ...changes,
})

type Placed = { readonly ref: string; readonly id: number; readonly key: EncryptedDataKey }

/** A change of the jobs of an order, as it was placed. */
const ofJobs = ({ ref, id, key }: Placed, changes: Partial<PlainChange>): PlainChange => ({
  ...aNewOrder(ref, { placed: null, snapshot: null, lines: [], added: [] }),
  row: { id, version: 0, key },
  ...changes,
})

/** The order's second step, which adds a second job. */
const aStep = (order: Placed, changes: Partial<PlainChange> = {}): PlainChange =>
  ofJobs(order, {
    snapshot: aSnapshot(2),
    lines: [aLine(2)],
    jobCount: 2,
    added: [aJob(2)],
    ...changes,
  })

/** The tables refuse the job: the order has had one with this number. */
const aBadStep = (order: Placed): PlainChange => aStep(order, { added: [aJob(1)] })

const openWriter = () => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-'))
  const db = openDatabase(join(folder, 'plazo.db'))
  onTestFinished(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })
  const write = sqliteWriter(db, { cipher: createCipher(newKeyring()) })
  const commit = (...changes: readonly PlainChange[]) => write(changes)
  const place = (ref: string): Placed => {
    const [placed] = commit(aNewOrder(ref))
    if (!placed || E.isLeft(placed) || !('created' in placed.right) || !placed.right.created)
      return expect.fail('The order was not placed.')
    return { ref, ...placed.right.created }
  }
  return {
    commit,
    place,
    /** The first column of each row. */
    rows: (sql: string): readonly unknown[] => db.prepare<[], unknown>(sql).pluck().all(),
  }
}

const DONE = E.right(expect.objectContaining({ as: 'done' }))

const failure = (code: UnavailableCode, message: string) => unavailable(code, message)

describe('a commit', () => {
  it('writes nothing of a change whose order has another version', () => {
    const { commit, place, rows } = openWriter()
    const [a, b] = [place('a'), place('b')]
    expect(commit(aStep(a, { row: { ...a, version: 7 } }), aStep(b))).toEqual([
      E.right({ as: 'changed' }),
      DONE,
    ])
    expect(commit(aStep(b))).toEqual([E.right({ as: 'changed' })])
    expect(rows('select version from orders order by id')).toEqual([0, 1])
    expect(rows('select count(*) from journal group by order_id')).toEqual([1, 2])
    expect(rows('select count(*) from outbox group by order_id')).toEqual([1, 2])
  })

  it('lets a change of bad rows fail alone', () => {
    const { commit, place, rows } = openWriter()
    const [a, b, c] = [place('a'), place('b'), place('c')]
    const unwritable = aStep(c, { jobCount: Number.NaN })
    expect(commit(aStep(a), aBadStep(b), unwritable, aNewOrder('d'))).toEqual([
      DONE,
      failure('internal_error', 'UNIQUE constraint failed: outbox.order_id, outbox.n'),
      failure('internal_error', 'NOT NULL constraint failed: orders.job_count'),
      DONE,
    ])
    expect(rows('select version from orders order by id')).toEqual([1, 0, 0, 0])
    expect(rows('select count(*) from journal group by order_id')).toEqual([2, 1, 1, 1])
  })
})

import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type {
  CompletionWrite,
  EffectWrite,
  OrderWrite,
  PlaceWrite,
  StepWrite,
} from '../../sql/order-writes.ts'
import { openDataKeys } from '../encryption/data-keys.ts'
import { type Database, openDatabase } from '../schema/database.ts'
import type { ClaimedJob, Command } from './commands.ts'
import { sqliteWriter } from './writer.ts'

const WRITES = /^\s*(insert)(?: or \w+)? into (\w+)|^\s*(update|delete from) (\w+)/

/** Records which tables are written, in this order. */
const watchWrites = (db: Database): string[] => {
  const writes: string[] = []
  const prepare = db.prepare.bind(db)
  const watchStatement = (sql: string) => {
    const statement = prepare(sql)
    const [, insert, into, change, changed] = WRITES.exec(sql) ?? []
    if (insert === undefined && change === undefined) return statement
    const run = statement.run.bind(statement)
    return Object.assign(statement, {
      run: (...values: readonly unknown[]) => {
        writes.push(`${insert ?? change} ${into ?? changed}`)
        return run(...values)
      },
    })
  }
  Object.assign(db, { prepare: watchStatement })
  return writes
}

const aWriter = () => {
  const db = openDatabase(':memory:')
  const writes = watchWrites(db)
  const dataKeys = openDataKeys(db, null)
  const writeBatch = sqliteWriter(db, {
    dataKeys,
    boot: 'boot',
    patience: 1_000,
    monotonicNow: () => 0,
  })
  const write = (...commands: readonly Command[]): readonly unknown[] =>
    writeBatch({ commands, now: 0 }).outcomes.map((outcome) => outcome && E.toUnion(outcome))
  const rows = (sql: string): readonly unknown[] => db.prepare<[], unknown>(sql).pluck().all()
  return {
    write,
    rows,
    /** Row numbers of new orders. */
    place: (...orderRefs: readonly string[]) =>
      (write(...orderRefs.map((ref) => placeCommand(ref))) as readonly { row: number }[]).map(
        ({ row }) => row,
      ),
    /** Claims all jobs, and returns the order's. */
    claimAll: (ofOrder: string): ClaimedJob => {
      const [claimed] = write({
        name: 'claim',
        input: {
          at: 1_000,
          lease: 1_000,
          perAccount: null,
          keyIds: null,
          capacity: { deliveries: 0, notGood: 0, internal: 10 },
        },
      })
      const job = (claimed as readonly ClaimedJob[]).find(({ orderRef }) => orderRef === ofOrder)
      return job ?? expect.fail('Nothing was claimed.')
    },
    /** The writes of these commands. */
    writesOf: (...commands: readonly Command[]): readonly string[] => {
      writes.length = 0
      write(...commands)
      return [...writes]
    },
  }
}

const EFFECT: EffectWrite = {
  type: 'do',
  revision: 1,
  lane: 'sms',
  queue: 'work',
  work: '{}',
  hasNoPersonalData: false,
  event: null,
  dueAt: 0,
  expiresAt: null,
  excludes: null,
}

const FACTS: OrderWrite['facts'] = {
  checkout: 'identification',
  lasting: null,
  risk: 'unassessed',
  cancellation: 'none',
  placedAt: 0,
  changedAt: 0,
  search1: null,
  search2: null,
}

const lineAt = (seq: number) => ({
  seq,
  at: 0,
  event: 'event',
  detail: null,
  from: 'a a a',
  to: 'b b b',
  input: '{}',
})

const placeCommand = (orderRef: string, changes: Partial<PlaceWrite> = {}): Command => ({
  name: 'place',
  input: {
    orderRef,
    merchantRef: 'demo',
    account: 'demo',
    revision: 1,
    snapshot: '{}',
    at: 0,
    facts: FACTS,
    keepsDetails: false,
    heldBefore: null,
    requestedReference: null,
    heldReference: null,
    taskChange: null,
    placed: '{}',
    payload: '{}',
    lines: [lineAt(1)],
    effects: [EFFECT],
    ...changes,
  },
})

const aStep = (
  orderRef: string,
  row: number,
  changes: Partial<StepWrite<number>> = {},
): StepWrite<number> => ({
  row,
  orderRef,
  merchantRef: 'demo',
  account: 'demo',
  expectedRevision: 1,
  revision: 2,
  snapshot: '{}',
  at: 0,
  facts: FACTS,
  keepsDetails: false,
  heldBefore: null,
  requestedReference: null,
  heldReference: null,
  taskChange: null,
  lines: [lineAt(2)],
  effects: [{ ...EFFECT, revision: 2, lane: 'screening' }],
  ...changes,
})

const stepCommand = (...parameters: Parameters<typeof aStep>): Command => ({
  name: 'step',
  input: aStep(...parameters),
})

const completeCommand = (
  { orderRef, token }: ClaimedJob,
  changes: Partial<CompletionWrite<number>> = {},
): Command => ({
  name: 'complete',
  input: {
    orderRef,
    token,
    attemptResult: { type: 'finished', status: 'delivered' },
    finalStatus: null,
    report: null,
    isGood: null,
    step: null,
    decidedOn: null,
    fault: null,
    ...changes,
  },
})

describe('the writes of a wave', () => {
  it('have their results in the order of the commands', () => {
    const { write, place, claimAll } = aWriter()
    const [a = 0, b = 0, c = 0] = place('a', 'b', 'c')
    const job = claimAll('a')
    expect(
      write(
        stepCommand('b', b, { expectedRevision: 7 }),
        completeCommand(job, { step: aStep('a', a) }),
        completeCommand({ ...job, orderRef: 'other', token: 'other.1' }),
        placeCommand('d'),
        stepCommand('c', c),
      ),
    ).toEqual(['changed', 'delivered', 'lost', { row: c + 1 }, 'done'])
  })

  it('leave out a command that is refused', () => {
    const { write, rows, place, claimAll } = aWriter()
    const [a = 0, b = 0] = place('a', 'b')
    const job = claimAll('a')
    write(placeCommand('holder', { requestedReference: 'R', heldReference: 'R' }))
    const asking = { requestedReference: 'R', heldReference: 'R' }
    expect(
      write(
        placeCommand('c', asking),
        completeCommand(job, { step: aStep('a', a, asking) }),
        stepCommand('b', b, { expectedRevision: 7 }),
      ),
    ).toEqual(['reference_taken', 'reference_taken', 'changed'])
    expect(rows('select order_ref from orders')).toEqual(['a', 'b', 'holder'])
    expect(rows('select max(revision) from orders')).toEqual([1])
    expect(rows(`select count(*) from outbox where state = 'claimed'`)).toEqual([2])
  })

  it('are repeated one by one if two new orders ask for the same reference', () => {
    const { write, rows } = aWriter()
    const asking = { requestedReference: 'R', heldReference: 'R' }
    expect(write(placeCommand('a', asking), placeCommand('b', asking), placeCommand('c'))).toEqual([
      { row: 1 },
      'reference_taken',
      { row: 2 },
    ])
    expect(rows('select order_ref from orders')).toEqual(['a', 'c'])
  })
})

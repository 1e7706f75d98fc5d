// PostgreSQL, as the modules see it that have one text for both databases.
import { identity } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Dialect, WriteText } from '../../sql/dialect.ts'
import type { Sealer } from '../../store/seal.ts'
import type { Connection, Query } from '../connection/connection.ts'
import { isUuid } from '../sql/values.ts'
import { answerOrUnavailable } from '../unavailable.ts'

// No text in the database has a character that PostgreSQL cannot store.
const toStorable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value

const createQuery =
  (query: Query): Dialect['query'] =>
  (write, name = '') => {
    const values: unknown[] = []
    const text = write((value) => `$${values.push(toStorable(value))}`)
    return query({ name, text }, ...values)
  }

export const postgresDialect = ({ query, transaction }: Connection, sealer: Sealer): Dialect => ({
  schema: 'plazo.',
  query: createQuery(query),
  write: async <Row>(statements: readonly WriteText[]) => {
    const [first, ...others] = statements
    // A statement alone is a transaction.
    if (first !== undefined && others.length === 0) return createQuery(query)<Row>(first)
    return transaction(async (send) => {
      let rows: readonly Row[] = []
      for (const write of statements) rows = await createQuery(send)(write)
      return rows
    })
  },
  transaction: (start) =>
    TE.flatMapEither(
      answerOrUnavailable(() =>
        transaction(async (send) => {
          const run = createQuery(send)
          const statements = start()
          let next = statements.next()
          while (!next.done) next = statements.next(await run(next.value))
          return next.value
        }),
      ),
      identity,
    ),
  orUnavailable: answerOrUnavailable,
  toOrderRef: (text) => (isUuid(text) ? text : '00000000-0000-0000-0000-000000000000'),
  orderRefOf: (text) => `cast(${text} as uuid)`,
  jsonElements: 'json_array_elements',
  bytesOf: (hex) => `decode(${hex}, 'hex')`,
  isInPage: ({ orderId, from }, bind) =>
    `j.order_id = ${bind(orderId)} and j.seq <= coalesce(${bind(from)}::integer, 2147483647)`,
  cursor: 'j.seq',
  // With an equation of the column, the planner could read the index of all orders instead.
  isInIndex: ({ column, value }, below, oldest, bind) => {
    const pair = `(o.${column}, o.id)`
    return `o.${column} is not null and ${pair} < (${bind(value)}, ${below()}) and ${pair} >= (${bind(value)}, ${oldest()})`
  },
  lockTable: (table) => `lock table plazo.${table} in share row exclusive mode`,
  forUpdate: 'for update',
  takeTurn: `(select true from (select pg_advisory_xact_lock(hashtext('plazo.records'))) t)`,
  sealer,
})

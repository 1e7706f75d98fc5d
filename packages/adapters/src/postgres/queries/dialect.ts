// Runs the statements that both SQL stores share.
import type { Dialect } from '../../sql/dialect.ts'
import type { Connection } from '../connection/connection.ts'
import { isUuid } from '../sql/values.ts'
import { answerOrUnavailable } from '../unavailable.ts'

// No text in the database has a character that PostgreSQL cannot store.
const toStorable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value

export const postgresDialect = ({ query }: Connection): Dialect => ({
  schema: 'plazo.',
  query: (write) => {
    const values: unknown[] = []
    const text = write((value) => `$${values.push(toStorable(value))}`)
    return query({ name: '', text }, ...values)
  },
  orUnavailable: answerOrUnavailable,
  toOrderRef: (text) => (isUuid(text) ? text : '00000000-0000-0000-0000-000000000000'),
})

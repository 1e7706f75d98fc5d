// Runs the statements that both SQL stores share.
import type { ListQuery } from '../../sql/order-search.ts'
import type { Connection } from '../connection/connection.ts'

// No text in the database has a character that PostgreSQL cannot store.
const toStorable = (value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value

export const createListQuery =
  ({ query }: Connection): ListQuery =>
  (write) => {
    const values: unknown[] = []
    const text = write((value) => `$${values.push(toStorable(value))}`)
    return query({ name: '', text }, ...values)
  }

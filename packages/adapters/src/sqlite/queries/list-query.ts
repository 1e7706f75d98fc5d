// Runs the statements that both SQL stores share.
import type { ListQuery } from '../../sql/order-search.ts'
import type { Database } from '../schema/database.ts'

export const createListQuery =
  (db: Database): ListQuery =>
  async <Row>(write: Parameters<ListQuery>[0]) => {
    const values: unknown[] = []
    const sql = write((value) => {
      values.push(value)
      return '?'
    })
    return db.prepare<unknown[], Row>(sql).all(...values)
  }

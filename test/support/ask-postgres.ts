// Runs one SQL statement on a PostgreSQL database, over its own connection, and returns the rows.
import pg from 'pg'

export const queryPostgres = async (url: string, sql: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

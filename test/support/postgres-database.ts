// A database of a test's own in the PostgreSQL of the whole run, with plazo's schema and nothing in it.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

export type FreshDatabase = {
  readonly url: string
  /** Another test may have it then, emptied. */
  readonly drop: () => Promise<void>
}

const ask = async (init?: RequestInit): Promise<string> => {
  const answer = await fetch(inject('postgres'), init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

export const freshDatabase = async (): Promise<FreshDatabase> => {
  const url = await ask()
  return {
    url,
    drop: async () => {
      await ask({ method: 'DELETE', body: url })
    },
  }
}

const run = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Without a schema, beside the others. */
export const emptyDatabase = async (): Promise<FreshDatabase> => {
  const beside = await freshDatabase()
  const name = `plazo_empty_${randomBytes(8).toString('hex')}`
  await run(beside.url, `create database ${name}`)
  const own = new URL(beside.url)
  own.pathname = `/${name}`
  return {
    url: own.href,
    drop: async () => {
      await run(beside.url, `drop database ${name} with (force)`)
      await beside.drop()
    },
  }
}

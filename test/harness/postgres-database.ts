// Gives each test its own PostgreSQL database, with plazo's schema and no rows, in the server that the whole test run shares.
import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { queryPostgres } from './postgres.ts'

export type FreshDatabase = {
  readonly url: string
  /** Returns the database to the pool. It is emptied before another test gets it. */
  readonly drop: () => Promise<void>
}

const request = async (init?: RequestInit): Promise<string> => {
  const answer = await fetch(inject('postgres'), init)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

export const freshDatabase = async (): Promise<FreshDatabase> => {
  const url = await request()
  return {
    url,
    drop: async () => {
      await request({ method: 'DELETE', body: url })
    },
  }
}

/** A database without a schema, in the same server. */
export const emptyDatabase = async (): Promise<FreshDatabase> => {
  const baseDatabase = await freshDatabase()
  const name = `plazo_empty_${randomBytes(8).toString('hex')}`
  await queryPostgres(baseDatabase.url, `create database ${name}`)
  const own = new URL(baseDatabase.url)
  own.pathname = `/${name}`
  return {
    url: own.href,
    drop: async () => {
      await queryPostgres(baseDatabase.url, `drop database ${name} with (force)`)
      await baseDatabase.drop()
    },
  }
}

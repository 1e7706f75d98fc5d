// Gives each test its own PostgreSQL database in the server that the whole test run shares.
import { randomBytes } from 'node:crypto'
import { newKeyring } from '@plazo/adapters/internal/encryption'
import {
  type OpenPostgresOptions,
  openPostgres,
  type PostgresStorage,
} from '@plazo/adapters/internal/postgres'
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
  const overrides = new URL(baseDatabase.url)
  overrides.pathname = `/${name}`
  return {
    url: overrides.href,
    drop: async () => {
      await queryPostgres(baseDatabase.url, `drop database ${name} with (force)`)
      await baseDatabase.drop()
    },
  }
}

export const KEYRING = newKeyring()

export type PostgresTestStorage = PostgresStorage & { readonly url: string }

/**
 * Opens plazo's complete storage in a PostgreSQL database of one test, or in a database shared with
 * another storage. Closing it drops the database, unless the database is shared.
 */
export const openPostgresTestStorage = async (
  options: Partial<OpenPostgresOptions> & { readonly url?: string } = {},
): Promise<PostgresTestStorage> => {
  const { url: shared, ...rest } = options
  const overrides = shared === undefined ? await freshDatabase() : null
  const url = shared ?? overrides?.url ?? ''
  const home = await openPostgres(url, { keyring: KEYRING, connections: 4, ...rest })
  return {
    ...home,
    url,
    close: async () => {
      await home.close()
      await overrides?.drop()
    },
  }
}

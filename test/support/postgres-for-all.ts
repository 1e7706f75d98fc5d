// One PostgreSQL for a whole run of tests, started when the first of them asks for a database: a request to the address
// that is provided makes one, with plazo's schema, and answers its URL. Nobody kills it, so it need not flush.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openConnection } from '../../packages/adapters/src/postgres/connection.ts'
import { migrate } from '../../packages/adapters/src/postgres/migrate.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where databases are asked for. */
    readonly postgres: string
  }
}

const SETTINGS = { fsync: 'off', full_page_writes: 'off' }

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

const start = async () => {
  const postgres = await startPostgres({ settings: SETTINGS })
  const template = await postgres.database()
  const connection = openConnection(template)
  await migrate(connection)
  await connection.close()
  // The server may be gone before it has let go of both.
  const admin = new pg.Pool({ connectionString: postgres.url, max: 2 }).on('error', () => {})

  const make = async (): Promise<string> => {
    const own = new URL(template)
    own.pathname = `/plazo_${randomBytes(8).toString('hex')}`
    await admin.query(`create database ${nameOf(own.href)} template ${nameOf(template)} strategy file_copy`)
    return own.href
  }
  const drop = (url: string): Promise<unknown> => admin.query(`drop database if exists ${nameOf(url)} with (force)`)

  const made = new Set<string>()
  return {
    make: async (): Promise<string> => {
      const url = await make()
      made.add(url)
      return url
    },
    drop: async (url: string): Promise<void> => {
      if (made.delete(url)) await drop(url)
    },
    close: async (): Promise<void> => {
      for (const url of made) await drop(url)
      await admin.end()
      await postgres.close()
    },
  }
}

export default async ({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> => {
  let started: ReturnType<typeof start> | undefined
  const server = createServer(async (request, response) => {
    try {
      started ??= start()
      const databases = await started
      const [given] = await request.setEncoding('utf8').toArray()
      response.end(request.method === 'DELETE' ? await databases.drop(given) : await databases.make())
    } catch (cause) {
      response.writeHead(500).end(String(cause))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  provide('postgres', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await (await started)?.close()
  }
}

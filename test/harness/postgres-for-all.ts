// Starts one PostgreSQL for the whole test run, when the first test asks for a database. A request
// to the provided address creates a database with plazo's schema and returns its URL. No test kills
// this server, so it does not need to flush.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../packages/adapters/src/postgres/schema/migrate.ts'
import { queryPostgres, startOwnPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address at which tests request databases. */
    readonly postgres: string
  }
}

const SETTINGS = { fsync: 'off', full_page_writes: 'off' }

// Deletes what a test left behind, which is quicker than creating a new database.
const EMPTIED = `
  do $$ declare found record; begin
    perform pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
    for found in select relname, relkind from pg_class
      where relnamespace = 'plazo'::regnamespace and relkind in ('r', 'S') and relname not in ('schema_version', 'lease', 'key_changes')
    loop
      if found.relkind = 'r' then execute format('delete from plazo.%I', found.relname);
      else perform setval(format('plazo.%I', found.relname)::regclass, 1, false);
      end if;
    end loop;
    update plazo.lease set holder = null, former_until = 0, left_until = 0;
  end $$`

const start = async () => {
  const postgres = await startOwnPostgres({ settings: SETTINGS })
  const free: string[] = []

  const make = async (): Promise<string> => {
    const url = await postgres.database()
    await migrate(url)
    return url
  }

  return {
    take: async (): Promise<string> => free.pop() ?? make(),
    release: async (url: string): Promise<void> => {
      await queryPostgres(url, EMPTIED)
      free.push(url)
    },
    close: postgres.close,
  }
}

export default async ({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> => {
  let started: ReturnType<typeof start> | undefined
  const server = createServer(async (request, response) => {
    try {
      started ??= start()
      const databases = await started
      const [body] = await request.setEncoding('utf8').toArray()
      response.end(
        request.method === 'DELETE' ? await databases.release(body) : await databases.take(),
      )
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

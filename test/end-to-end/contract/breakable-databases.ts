// Databases whose n-th write of a row fails, and every later one, as on a full disk. Triggers count
// the writes of every table, so the stores under test need no seam for it.
import type Sqlite from 'better-sqlite3'
import pg from 'pg'

/** Returns `failAt` for all tables of this connection. */
export const breakSqlite = (database: Sqlite.Database) => {
  let writesLeft = Number.POSITIVE_INFINITY
  database.function('count_write', () => {
    writesLeft -= 1
    if (writesLeft <= 0) throw new Error('The write fails.')
    return null
  })
  const tables = database
    .prepare<[], string>(`select name from main.sqlite_schema where type = 'table'`)
    .pluck()
    .all()
  for (const table of tables.filter((name) => !name.startsWith('sqlite_')))
    for (const write of ['insert', 'update', 'delete'])
      database.exec(
        `create temp trigger "${write}_${table}" before ${write} on main."${table}" begin select count_write(); end`,
      )
  return (n: number): void => {
    writesLeft = n
  }
}

// A sequence counts on when a transaction is rolled back.
const COUNT_WRITES = `
  create schema if not exists broken;
  create sequence if not exists broken.writes;
  create table if not exists broken.limits (fail_at bigint not null);
  create or replace function broken.count_write() returns trigger language plpgsql as $$
  begin
    if nextval('broken.writes') >= (select min(fail_at) from broken.limits) then
      raise exception 'The write fails.';
    end if;
    return case when tg_op = 'DELETE' then old else new end;
  end $$;
  do $$
  declare name text;
  begin
    for name in select tablename from pg_tables where schemaname = 'plazo' loop
      execute format('create or replace trigger count_write before insert or update or delete on plazo.%I for each row execute function broken.count_write()', name);
    end loop;
  end $$;
`

/** Returns `failAt`, and a function that removes all traces from the database. */
export const breakPostgres = (url: string) => {
  let client: pg.Client | null = null

  const connect = async (): Promise<pg.Client> => {
    const opened = new pg.Client({ connectionString: url })
    await opened.connect()
    await opened.query(COUNT_WRITES)
    return opened
  }

  return {
    failAt: async (n: number): Promise<void> => {
      client ??= await connect()
      await client.query('delete from broken.limits')
      if (n === Number.POSITIVE_INFINITY) return
      await client.query(`select setval('broken.writes', 1, false)`)
      await client.query('insert into broken.limits values ($1)', [n])
    },
    repair: async (): Promise<void> => {
      await client?.query('drop schema broken cascade')
      await client?.end()
    },
  }
}

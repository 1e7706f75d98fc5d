// The connections to PostgreSQL. Each statement is its own transaction: rows that belong together
// are written by one statement, and no transaction stays open between two. Connections are restored
// automatically; a statement that finds no database fails. Some connections are reserved for the
// statements that orders depend on.
import { Socket } from 'node:net'
import { Pool, type PoolClient, types } from 'pg'

/** A connection prepares it once, under its name. */
export type Statement = { readonly name: string; readonly text: string }

/** A tag for the SQL of the statement with this name. No two statements have the same name. */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...values: readonly (string | number)[]): Statement => ({
    name,
    text: String.raw(parts, ...values),
  })

/** Rejects if the statement fails or no database answers. */
export type Query = <Row>(
  statement: Statement,
  ...values: readonly unknown[]
) => Promise<readonly Row[]>

export type Connection = {
  readonly query: Query
  /** Runs several statements as one transaction, for operations that are rare. */
  readonly transaction: <A>(run: (query: Query) => Promise<A>) => Promise<A>
  /**
   * The one listener is called whenever an open connection breaks: another database may answer from
   * then on.
   */
  readonly onBroken: (listener: () => void) => void
  readonly close: () => Promise<void>
}

export type ConnectionOptions = {
  /** The maximum number of connections that one server opens. */
  readonly connections?: number
  /**
   * Milliseconds without a byte from the database, after which a connection fails. 0: never, and no
   * statement has a time limit, because no caller waits for an answer.
   */
  readonly silenceTimeout?: number
  /** For tests: called with the name of every statement that is sent. */
  readonly onStatement?: (name: string) => void
  /** Hears what is notified to `plazo`. The connections are kept as long as possible. */
  readonly onNotification?: (text: string) => void
}

// If the database is connected but does not answer, callers get an error while they still wait.
const SILENCE_TIMEOUT = 15_000

/**
 * Sent as one request, the first of every session. As connection options, PgBouncer would refuse or
 * drop them.
 *
 * A statement is planned once for each connection, perhaps while the database is new and small. The
 * `enable_` settings make it find rows by their keys anyway, no matter how many rows the planner
 * expects.
 *
 * The database itself ends a slow statement before the caller gives up, so that a write that was
 * reported as failed is not made later. If a node freezes, or is lost with its machine, between two
 * statements, it keeps its locks for five seconds.
 */
export const SETTINGS = `
  set enable_seqscan=off;
  set enable_bitmapscan=off;
  set enable_hashjoin=off;
  set enable_mergejoin=off;
  set enable_material=off;
  set plan_cache_mode=force_generic_plan;
  set jit=off;
  set synchronous_commit=on;
  set statement_timeout=12000;
  set idle_in_transaction_session_timeout=5000`

// What is written on a connection that listens may be lost with the database.
const LISTENING = '; set statement_timeout=2000; set synchronous_commit=off; listen plazo'

const CONNECT_TIMEOUT = 5_000

export const DEFAULT_CONNECTIONS = 10

// Seconds. Connections are replaced every few minutes, so that statements are planned again for the
// current database.
const CONNECTION_LIFETIME = 300

const INT8 = 20
const TYPES = {
  // The 8-byte integers are counts, instants and row numbers, all below 2^53.
  getTypeParser: ((oid: number, format: never) =>
    oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
}

// The pg client's own timer for each statement would keep its values in memory until V8 collects
// its whole heap. Zero: never.
const createTimedSocket = (millis: number): Socket => {
  const socket = new Socket()
  const silent = `read ETIMEDOUT: the database has not answered for ${millis / 1000} s.`
  return socket.setTimeout(millis, () =>
    socket.destroy(Object.assign(new Error(silent), { code: 'ETIMEDOUT' })),
  )
}

/**
 * `url`: `postgres://user:password@host:port/database`. Connects when the first statement is sent.
 */
export const openConnection = (
  url: string,
  {
    connections = DEFAULT_CONNECTIONS,
    silenceTimeout = SILENCE_TIMEOUT,
    onStatement,
    onNotification,
  }: ConnectionOptions = {},
): Connection => {
  const settings = silenceTimeout === 0 ? `${SETTINGS}; set statement_timeout=0` : SETTINGS
  const pool = new Pool({
    connectionString: url,
    max: connections,
    onConnect: (client) => client.query(onNotification ? settings + LISTENING : settings),
    application_name: 'plazo',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    maxLifetimeSeconds: onNotification ? 0 : CONNECTION_LIFETIME,
    stream: () => createTimedSocket(silenceTimeout),
    keepAlive: true,
    types: TYPES,
  })
  let notifyBroken = (): void => {}
  // The statement that is under way or comes next also gets the error. The pool opens another
  // connection when it needs one.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => notifyBroken())
    client.on('notification', ({ payload = '' }) => onNotification?.(payload))
  })

  const queryOn =
    (client: Pick<PoolClient, 'query'>): Query =>
    async <Row>({ name, text }: Statement, ...values: readonly unknown[]) => {
      onStatement?.(name)
      const { rows } = await client.query({ name, text, values: [...values] })
      return rows as readonly Row[]
    }

  return {
    query: queryOn(pool),
    transaction: async (run) => {
      const client = await pool.connect()
      let isBroken = false
      try {
        await client.query('begin')
        const answer = await run(queryOn(client))
        await client.query('commit')
        return answer
      } catch (cause) {
        isBroken = await client.query('rollback').then(
          () => false,
          () => true,
        )
        throw cause
      } finally {
        // A connection whose rollback failed is not used again.
        client.release(isBroken)
      }
    },
    onBroken: (listener) => {
      notifyBroken = listener
    },
    close: () => pool.end(),
  }
}

/** A connection of the embedding program, for example a client of its pool. */
export type ClientWithin = Pick<PoolClient, 'query'>

/**
 * The program's own transaction. Statements run one after another, and have no names, because those
 * on this connection are the program's. Nothing is begun, committed or rolled back.
 */
export const connectionWithin = (client: ClientWithin): Connection => {
  let last: Promise<unknown> = Promise.resolve()
  const query: Query = async <Row>({ text }: Statement, ...values: readonly unknown[]) => {
    const answer = last.then(() => client.query({ text, values: [...values], types: TYPES }))
    last = answer.catch(() => {})
    return (await answer).rows as readonly Row[]
  }
  return { query, transaction: (run) => run(query), onBroken: () => {}, close: async () => {} }
}

/**
 * Lists and searches may take seconds each. If they held every connection, a finished job could not be
 * stored, and a merchant would be called again. So the statements that orders depend on have connections
 * of their own. `isReserved`: true if the statement with this name uses them.
 */
export const reserveConnections = (
  reserved: Connection,
  others: Connection,
  isReserved: (name: string) => boolean,
): Connection => ({
  query: (statement, ...values) =>
    (isReserved(statement.name) ? reserved : others).query(statement, ...values),
  transaction: others.transaction,
  onBroken: (listener) => {
    for (const connection of [reserved, others]) connection.onBroken(listener)
  },
  close: async () => {
    for (const connection of [reserved, others]) await connection.close()
  },
})

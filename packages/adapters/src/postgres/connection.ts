// The connections to PostgreSQL. Every statement stands alone and is its own transaction: what belongs together is
// written by one, and nothing is held open between two. Reconnects by itself: a statement that finds no database fails.
import { Socket } from 'node:net'
import { type Unavailable, unavailable } from '@plazo/core'
import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { DatabaseError, Pool, type PoolClient, types } from 'pg'

export type Statement = { readonly name: string; readonly text: string }

export type Connection = {
  /** Rejects where the statement fails or no database answers. */
  readonly query: <Row>(statement: Statement, ...values: readonly unknown[]) => Promise<readonly Row[]>
  /** Several statements as one, for what is seldom done. */
  readonly transaction: <A>(run: (query: Connection['query']) => Promise<A>) => Promise<A>
  /** To be told whenever one that was there breaks: another database may answer from then on. */
  readonly onBroken: (tell: () => void) => void
  readonly close: () => Promise<void>
}

export type ConnectionOptions = {
  /** How many connections one server opens, at most. */
  readonly connections?: number
  /** Milliseconds without a byte of the database's. */
  readonly answerWithin?: number
  /** However long a statement takes: nobody waits for an answer. */
  readonly isPatient?: boolean
  /** For tests: told of every statement that is sent. */
  readonly onStatement?: (name: string) => void
}

// A statement is planned once for each connection, and maybe while the database is new and small: rows are found by their
// keys all the same, however many the planner takes them for.
const PLANS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material'].map((way) => `set enable_${way}=off`)
// A database that is there and does not answer: whoever waits is told so, while he still waits. A statement that is slow is
// ended by the database first, so that what was told to have failed is not written later.
const ANSWER_WITHIN = 15_000
const ENDED_WITHIN = 12_000

// A node that is frozen, or gone with its machine, between two statements keeps what it has locked from the others so long.
const IDLE_WITHIN = 5_000
/** One request, the first of every session. PgBouncer refuses the same given as options at connecting, or drops them. */
export const SETTINGS = [
  ...PLANS,
  'set plan_cache_mode=force_generic_plan',
  'set jit=off',
  'set synchronous_commit=on',
  `set statement_timeout=${ENDED_WITHIN}`,
  `set idle_in_transaction_session_timeout=${IDLE_WITHIN}`,
].join('; ')

const CONNECT_WITHIN = 5_000

export const CONNECTIONS = 10

// What was planned for a database as it was is planned for what it is now, every few minutes.
const PLANNED_ANEW = 300

const INT8 = 20

// The client's own timer for each statement would keep what that was sent with until V8 collects its whole heap. Zero: never.
const endedWhenSilent = (millis: number): Socket => {
  const socket = new Socket()
  const silent = `read ETIMEDOUT: the database has not answered for ${millis / 1000} s.`
  return socket.setTimeout(millis, () => socket.destroy(Object.assign(new Error(silent), { code: 'ETIMEDOUT' })))
}

/** `url`: `postgres://user:password@host:port/database`. Connects when the first statement is sent. */
export const openConnection = (
  url: string,
  { connections = CONNECTIONS, answerWithin = ANSWER_WITHIN, isPatient = false, onStatement }: ConnectionOptions = {},
): Connection => {
  const settings = isPatient ? `${SETTINGS}; set statement_timeout=0` : SETTINGS
  const pool = new Pool({
    connectionString: url,
    max: connections,
    onConnect: (client) => client.query(settings),
    application_name: 'plazo',
    connectionTimeoutMillis: CONNECT_WITHIN,
    maxLifetimeSeconds: PLANNED_ANEW,
    stream: () => endedWhenSilent(isPatient ? 0 : answerWithin),
    keepAlive: true,
    types: {
      // Counts, instants and numbers of rows: all of them are below 2^53.
      getTypeParser: ((oid: number, format: never) =>
        oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  })
  const listeners: (() => void)[] = []
  // It says so to the statement that is under way or comes next, too, and is replaced when another is wanted.
  const broken = (): void => {
    for (const tell of listeners) tell()
  }
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', broken))

  const queryOn =
    (client: Pick<PoolClient, 'query'>): Connection['query'] =>
    async <Row>({ name, text }: Statement, ...values: readonly unknown[]) => {
      onStatement?.(name)
      const { rows } = await client.query({ name, text, values: [...values] })
      return rows as readonly Row[]
    }

  return {
    query: queryOn(pool),
    transaction: async (run) => {
      const client = await pool.connect()
      let failure: Error | undefined
      try {
        await client.query('begin')
        const answer = await run(queryOn(client))
        await client.query('commit')
        return answer
      } catch (cause) {
        failure = cause instanceof Error ? cause : new Error(String(cause))
        await client.query('rollback').then(
          () => {
            failure = undefined
          },
          () => {},
        )
        throw cause
      } finally {
        // A connection that could not even be rolled back is used no more.
        client.release(failure)
      }
    },
    onBroken: (tell) => {
      listeners.push(tell)
    },
    close: () => pool.end(),
  }
}

/** Left too where the database cannot be asked. */
export const trying =
  <Err, A>(run: () => Promise<E.Either<Err, A>>): TaskEither<Err | Unavailable, A> =>
  async () => {
    try {
      return await run()
    } catch (cause) {
      return unavailable(cause)
    }
  }

/** What is wrong is in the rows themselves and would be so again: a value, a constraint, a size; not the database's own state. */
export const isOfTheRows = (cause: unknown): boolean =>
  cause instanceof DatabaseError && /^(22|23|54)/.test(cause.code ?? '')

/** Two nodes were in each other's way; the same again will do. */
export const isPassing = (cause: unknown): boolean =>
  cause instanceof DatabaseError && (cause.code === '40P01' || cause.code === '40001')

/** Nothing of the database's: no order has another kind of reference. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

/** Nothing of the database's is named otherwise: it could not be asked for. */
export const isText = (given: string): boolean => given.isWellFormed() && !given.includes('\0')

/** What people wrote may hold what a text of PostgreSQL's cannot: it stands as JSON writes it. */
export const asText = (given: string): string => JSON.stringify(given)

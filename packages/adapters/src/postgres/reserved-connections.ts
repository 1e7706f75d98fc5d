// Keeps some connections for the statements that orders depend on. Lists and searches may take seconds each: where they held every
// connection, a finished job could not be stored, and a merchant would be called again.
import type { Connection } from './connection.ts'

type ReservedOptions = {
  /** How many connections there are, at most. A quarter of them is kept. */
  readonly connections: number
  /** By the name of the statement. */
  readonly isReserved: (name: string) => boolean
  /** Milliseconds that another statement waits for a connection. */
  readonly patience?: number
}

const SHARE = 4
const PATIENCE = 5_000

// As the pool's own.
const TOO_LATE = 'timeout exceeded when trying to connect'

/** Takes at most so many at once; the others wait in their order. */
const places = (count: number, patience: number) => {
  let free = count
  let waiting: { readonly enter: () => void }[] = []

  const enter = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting = waiting.filter((each) => each !== own)
        reject(new Error(TOO_LATE))
      }, patience)
      const own = {
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      waiting.push(own)
    })

  const leave = (): void => {
    const [first, ...rest] = waiting
    waiting = rest
    if (first === undefined) free += 1
    else first.enter()
  }

  return async <A>(run: () => Promise<A>): Promise<A> => {
    if (free > 0) free -= 1
    else await enter()
    try {
      return await run()
    } finally {
      leave()
    }
  }
}

export const reservingConnections = (
  connection: Connection,
  { connections, isReserved, patience = PATIENCE }: ReservedOptions,
): Connection => {
  const taking = places(connections - Math.floor(connections / SHARE), patience)
  return {
    ...connection,
    query: (statement, ...values) =>
      isReserved(statement.name)
        ? connection.query(statement, ...values)
        : taking(() => connection.query(statement, ...values)),
    transaction: (run) => taking(() => connection.transaction(run)),
  }
}

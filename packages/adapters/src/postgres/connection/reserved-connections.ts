// Keeps some connections for the statements that orders depend on. Lists and searches may take seconds each. If they held
// every connection, a finished job could not be stored, and a merchant would be called again.
import { UnavailableError } from '@plazo/core'
import type { Connection } from './connection.ts'

type ReservedOptions = {
  /** The maximum number of connections. A quarter of them is reserved. */
  readonly connections: number
  /** True if the statement with this name may use the reserved connections. */
  readonly isReserved: (name: string) => boolean
  /** How many milliseconds any other statement waits for a connection. */
  readonly patience?: number
}

const RESERVED_SHARE = 4
const WAIT_MILLIS_MAX = 5_000

// The same message as the pool's own.
const TIMEOUT = { code: 'connection_timeout', message: 'timeout exceeded when trying to connect' } as const

/** Runs at most `count` functions at once. The others wait, first in, first out. */
const createSlots = (count: number, patience: number) => {
  let free = count
  let waiting: { readonly enter: () => void }[] = []

  const enter = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting = waiting.filter((each) => each !== own)
        reject(new UnavailableError(TIMEOUT))
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

export const reserveConnections = (
  connection: Connection,
  { connections, isReserved, patience = WAIT_MILLIS_MAX }: ReservedOptions,
): Connection => {
  const runInSlot = createSlots(connections - Math.floor(connections / RESERVED_SHARE), patience)
  return {
    ...connection,
    query: (statement, ...values) =>
      isReserved(statement.name)
        ? connection.query(statement, ...values)
        : runInSlot(() => connection.query(statement, ...values)),
    transaction: (run) => runInSlot(() => connection.transaction(run)),
  }
}

// Shoppers with one order each, over a fixed number of connections that are never idle. A shopper
// keeps a connection until they must wait. It then goes to a shopper who has finished waiting, or
// to a new one; a finished shopper is replaced by a new one. So every sample contains the same
// share of each part of an order. If returning shoppers always came first, new ones would only
// start after they are gone, and then all at once.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ask, type Connection, connectionTo, percentile } from './load.ts'

export type Pause = (millis: number) => Promise<void>
/** Takes one order to its end. Rejects if any answer was wrong. */
export type Journey = (ask: Ask, pause: Pause) => Promise<void>

type Crowd = {
  readonly port: number
  readonly journey: Journey
  readonly connections: number
  /** The maximum number of open orders. */
  readonly openMax: number
}

type LoadResult = {
  readonly ordersPerSecond: number
  readonly answersPerSecond: number
  readonly seconds: number
  /** Latency of a request in milliseconds, from the moment it is sent. */
  readonly p50: number
  readonly p99: number
}

/**
 * Milliseconds after the warm-up in which the last order must end: far more than any sample takes.
 */
const WITHIN = 120_000

/** `during` runs in parallel with the shoppers after the warm-up. Only that time is measured. */
export const crowd = async <A>(
  { port, journey, connections, openMax }: Crowd,
  warm: number,
  during: () => Promise<A>,
): Promise<LoadResult & { readonly observation: A }> => {
  let latencies: number[] = []
  let finished = 0
  let isOver = false
  let reportFailure: (cause: unknown) => void = () => {}
  const failure = new Promise<never>((_, reject) => {
    reportFailure = reject
  })
  const opened = await Promise.all(
    Array.from({ length: connections }, () =>
      connectionTo(
        port,
        (millis) => latencies.push(millis),
        (cause) => reportFailure(cause),
      ),
    ),
  )

  const open = new Set<Promise<void>>()
  const back: ((connection: Connection) => void)[] = []
  const idle: Connection[] = []

  const comeBack = (): Promise<Connection> => {
    const free = idle.pop()
    return free === undefined ? new Promise((resolve) => back.push(resolve)) : Promise.resolve(free)
  }
  const release = (connection: Connection): boolean => {
    const next = back.shift()
    next?.(connection)
    return next !== undefined
  }
  const giveNew = (connection: Connection): boolean => {
    if (isOver || open.size >= openMax) return false
    begin(connection)
    return true
  }
  /** Resolves to the connection on which the order ended. */
  const wholeOrder = async (first: Connection): Promise<Connection> => {
    let connection = first
    await journey(
      (request) => connection.ask(request),
      async (millis) => {
        if (!release(connection) && !giveNew(connection)) idle.push(connection)
        await sleep(millis)
        connection = await comeBack()
      },
    )
    return connection
  }
  const begin = (connection: Connection): void => {
    const order: Promise<void> = wholeOrder(connection).then(
      (last) => {
        finished += 1
        open.delete(order)
        if (!giveNew(last) && !release(last)) idle.push(last)
      },
      (cause: unknown) => {
        isOver = true
        reportFailure(cause)
      },
    )
    open.add(order)
  }

  const measureRun = async (): Promise<LoadResult & { readonly observation: A }> => {
    for (const connection of opened) if (!giveNew(connection)) idle.push(connection)
    await sleep(warm)
    latencies = []
    const before = finished
    const startedAt = performance.now()
    const observation = await during()
    const seconds = (performance.now() - startedAt) / 1000
    const orders = finished - before
    const sorted = latencies.sort((a, b) => a - b)
    latencies = []
    isOver = true
    await Promise.all(open)
    return {
      ordersPerSecond: orders / seconds,
      answersPerSecond: sorted.length / seconds,
      seconds,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      observation,
    }
  }
  const deadline = setTimeout(() => {
    const stuck = opened.flatMap(({ openRequest }) => openRequest() ?? [])
    const examples = stuck.length === 0 ? '' : `, as ${stuck.slice(0, 3).join('; ')}`
    const seconds = (warm + WITHIN) / 1000
    reportFailure(
      new Error(
        `Orders do not end within ${seconds} s: ${finished} have, ${open.size} are open, ${stuck.length} requests have no answer${examples}.`,
      ),
    )
  }, warm + WITHIN)
  try {
    return await Promise.race([measureRun(), failure])
  } finally {
    clearTimeout(deadline)
    isOver = true
    for (const { close } of opened) close()
  }
}

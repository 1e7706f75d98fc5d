// Shoppers with one order each, over a fixed number of connections that are never idle. A shopper has a connection to himself
// until he must wait for something, when it is given to whoever has come back from waiting; who has ended is followed by
// somebody new. So a sample meets as much of every part of an order: were those who come back always first, nobody would
// come until they have gone, and then all of them together.
import { percentile } from './load.ts'
import { type Answer, openWire, type Wire } from './wire.ts'

export type Ask = (request: string) => Promise<Answer>
export type Pause = (millis: number) => Promise<void>
/** One order; rejects when anything was answered wrong. */
export type Journey = (ask: Ask, pause: Pause) => Promise<void>

type Crowd = {
  /** Of every node; connections are dealt out among them. */
  readonly ports: readonly number[]
  readonly journey: Journey
  readonly connections: number
  /** Orders open at a time, at most. */
  readonly openMax: number
  /** Milliseconds after the warm-up within which the last order must have ended: far more than any sample takes, unless given. */
  readonly within?: number
}

type Watched = {
  readonly ordersPerSecond: number
  readonly answersPerSecond: number
  /** Answers to what writes: all but polls. */
  readonly written: number
  readonly seconds: number
  /** Of a request, from the moment it is sent; milliseconds. */
  readonly p50: number
  readonly p99: number
}

type Connection = {
  readonly ask: Ask
  /** The first line of the request that has no answer yet. */
  readonly asked: () => string | null
  readonly close: () => void
}

const connectionTo = async (
  port: number,
  onAnswer: (millis: number, request: string) => void,
  onLoss: (cause: Error) => void,
): Promise<Connection> => {
  type Waiting = { readonly request: string; readonly sentAt: number; readonly resolve: (answer: Answer) => void }
  let current: Waiting | null = null
  let wire: Wire | null = null
  const answered = (answer: Answer): void => {
    const asking = current
    current = null
    if (asking === null) return
    onAnswer(performance.now() - asking.sentAt, asking.request)
    asking.resolve(answer)
  }
  const lost = (cause: Error): void => {
    wire = null
    if (current !== null) onLoss(cause)
  }
  const connected = async (): Promise<Wire> => {
    wire = await openWire(port, answered, lost)
    return wire
  }
  await connected()
  return {
    ask: (request) =>
      new Promise((resolve) => {
        current = { request, sentAt: performance.now(), resolve }
        // A server closes a connection that has long been idle.
        if (wire === null) connected().then(({ send }) => send(request), onLoss)
        else wire.send(request)
      }),
    asked: () => current?.request.split('\r\n')[0] ?? null,
    close: () => wire?.close(),
  }
}

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const WITHIN = 120_000

/** `during`: runs beside the shoppers once they are warm; what is measured is what happens while it does. */
export const crowd = async <A>(
  { ports, journey, connections, openMax, within = WITHIN }: Crowd,
  warm: number,
  during: () => Promise<A>,
): Promise<Watched & { readonly seen: A }> => {
  let latencies: number[] = []
  let written = 0
  let finished = 0
  let isOver = false
  let failed: (cause: unknown) => void = () => {}
  const failure = new Promise<never>((_, reject) => {
    failed = reject
  })
  const opened = await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      connectionTo(
        ports[index % ports.length] ?? 0,
        (millis, request) => {
          latencies.push(millis)
          if (!request.startsWith('GET')) written += 1
        },
        (cause) => failed(cause),
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
  const giveBack = (connection: Connection): boolean => {
    const next = back.shift()
    next?.(connection)
    return next !== undefined
  }
  const giveNew = (connection: Connection): boolean => {
    if (isOver || open.size >= openMax) return false
    begin(connection)
    return true
  }
  /** Answers with the connection that it ended on. */
  const wholeOrder = async (first: Connection): Promise<Connection> => {
    let held = first
    await journey(
      (request) => held.ask(request),
      async (millis) => {
        if (!giveBack(held) && !giveNew(held)) idle.push(held)
        await sleep(millis)
        held = await comeBack()
      },
    )
    return held
  }
  const begin = (connection: Connection): void => {
    const order: Promise<void> = wholeOrder(connection).then(
      (last) => {
        finished += 1
        open.delete(order)
        if (!giveNew(last) && !giveBack(last)) idle.push(last)
      },
      (cause: unknown) => {
        isOver = true
        failed(cause)
      },
    )
    open.add(order)
  }

  const measured = async (): Promise<Watched & { readonly seen: A }> => {
    for (const connection of opened) if (!giveNew(connection)) idle.push(connection)
    await sleep(warm)
    latencies = []
    written = 0
    const before = finished
    const startedAt = performance.now()
    const seen = await during()
    const seconds = (performance.now() - startedAt) / 1000
    const orders = finished - before
    const durable = written
    const sorted = latencies.sort((a, b) => a - b)
    latencies = []
    isOver = true
    await Promise.all(open)
    return {
      ordersPerSecond: orders / seconds,
      answersPerSecond: sorted.length / seconds,
      written: durable,
      seconds,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      seen,
    }
  }
  const deadline = setTimeout(() => {
    const stuck = opened.flatMap(({ asked }) => asked() ?? [])
    const asked = stuck.length === 0 ? '' : `, as ${stuck.slice(0, 3).join('; ')}`
    const seconds = (warm + within) / 1000
    failed(
      new Error(
        `Orders do not end within ${seconds} s: ${finished} have, ${open.size} are open, ${stuck.length} requests have no answer${asked}.`,
      ),
    )
  }, warm + within)
  try {
    return await Promise.race([measured(), failure])
  } finally {
    clearTimeout(deadline)
    isOver = true
    for (const { close } of opened) close()
  }
}

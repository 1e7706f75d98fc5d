// Shoppers with one order each, over a fixed number of connections that are never idle: whoever is open goes on first,
// and where nobody can, somebody new comes. Who waits for something holds no connection meanwhile.
import { percentile } from './load.ts'
import { type Answer, openWire, type Wire } from './wire.ts'

export type Ask = (request: string) => Promise<Answer>
export type Pause = (millis: number) => Promise<void>
/** One order; rejects when anything was answered wrong. */
export type Journey = (ask: Ask, pause: Pause) => Promise<void>

export type Crowd = {
  /** Of every node; connections are dealt out among them. */
  readonly ports: readonly number[]
  readonly journey: Journey
  readonly connections: number
  /** Orders open at a time, at most. */
  readonly openMax: number
  /** Milliseconds after the warm-up within which the last order must have ended: far more than any sample takes, unless given. */
  readonly within?: number
}

export type Watched = {
  readonly ordersPerSecond: number
  readonly answersPerSecond: number
  /** Answers to what writes: all but polls. */
  readonly written: number
  readonly seconds: number
  /** Of a request, from the moment it is sent; milliseconds. */
  readonly p50: number
  readonly p99: number
}

type Waiting = { readonly request: string; readonly resolve: (answer: Answer) => void }

type Connections = {
  /** First lines of the requests that have no answer yet. */
  readonly unanswered: () => readonly string[]
  readonly close: () => void
}

/** `bored`: called whenever a connection has nothing to send. */
const connectionsTo = async (
  ports: readonly number[],
  count: number,
  bored: (ask: Ask) => void,
  onAnswer: (millis: number, request: string) => void,
  onLoss: (cause: Error) => void,
): Promise<Connections> => {
  const waiting: Waiting[] = []
  const idle: (() => void)[] = []
  const ask: Ask = (request) =>
    new Promise((resolve) => {
      waiting.push({ request, resolve })
      // Whoever was busy last: a server closes a connection that has long been idle.
      idle.pop()?.()
    })
  const open = async (port: number) => {
    let current: Waiting | null = null
    let sentAt = 0
    let wire: Wire | null = null
    const take = (): void => {
      current = waiting.shift() ?? null
      if (current === null) {
        idle.push(take)
        bored(ask)
        return
      }
      sentAt = performance.now()
      if (wire === null) connected().catch(onLoss)
      else wire.send(current.request)
    }
    const answered = (answer: Answer): void => {
      onAnswer(performance.now() - sentAt, current?.request ?? '')
      current?.resolve(answer)
      current = null
      // Whoever was answered may go on at once.
      setImmediate(take)
    }
    const lost = (cause: Error): void => {
      wire = null
      if (current !== null) onLoss(cause)
    }
    const connected = async (): Promise<void> => {
      wire = await openWire(port, answered, lost)
      if (current !== null) wire.send(current.request)
    }
    await connected()
    return { take, close: () => wire?.close(), asked: () => current?.request.split('\r\n')[0] ?? null }
  }
  const opened = await Promise.all(Array.from({ length: count }, (_, index) => open(ports[index % ports.length] ?? 0)))
  for (const { take } of opened) take()
  return {
    unanswered: () => opened.flatMap(({ asked }) => asked() ?? []),
    close: () => {
      for (const { close } of opened) close()
    },
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
  const open = new Set<Promise<void>>()
  let failed: (cause: unknown) => void = () => {}
  const failure = new Promise<never>((_, reject) => {
    failed = reject
  })
  const come = (ask: Ask): void => {
    if (isOver || open.size >= openMax) return
    const order: Promise<void> = journey(ask, sleep).then(
      () => {
        finished += 1
        open.delete(order)
      },
      (cause: unknown) => {
        isOver = true
        failed(cause)
      },
    )
    open.add(order)
  }
  const measured = async (): Promise<Watched & { readonly seen: A }> => {
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
  const { unanswered, close } = await connectionsTo(
    ports,
    connections,
    come,
    (millis, request) => {
      latencies.push(millis)
      if (!request.startsWith('GET')) written += 1
    },
    (cause) => failed(cause),
  )
  const deadline = setTimeout(() => {
    const stuck = unanswered()
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
    close()
  }
}

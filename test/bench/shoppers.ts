// Shoppers with one order each, over a fixed number of connections that are never idle: whoever is open goes on first,
// and where nobody can, somebody new comes. Who waits for something holds no connection meanwhile.
import { connect, type Socket } from 'node:net'
import { endOfResponse, percentile } from './load.ts'

export type Answer = { readonly status: number; readonly head: string; readonly body: string }
export type Ask = (request: Buffer) => Promise<Answer>
/** One order; rejects when anything was answered wrong. */
export type Journey = (ask: Ask, pause: (millis: number) => Promise<void>) => Promise<void>

export type Crowd = {
  /** Of every node; connections are dealt out among them. */
  readonly ports: readonly number[]
  readonly journey: Journey
  readonly connections: number
  /** Orders open at a time, at most. */
  readonly openMax: number
}

export type Watched = {
  readonly ordersPerSecond: number
  readonly answersPerSecond: number
  readonly answers: number
  readonly seconds: number
  /** Of a request, from the moment it is sent; milliseconds. */
  readonly p50: number
  readonly p99: number
}

type Waiting = {
  readonly request: Buffer
  readonly resolve: (answer: Answer) => void
  readonly reject: (cause: unknown) => void
}

const answerIn = (heard: string): Answer => {
  const head = heard.indexOf('\r\n\r\n')
  return { status: Number(heard.slice(9, 12)), head: heard.slice(0, head), body: heard.slice(head + 4) }
}

/** `bored`: called whenever a connection has nothing to send. */
const connectionsTo = async (
  ports: readonly number[],
  count: number,
  bored: (ask: Ask) => void,
  onAnswer: (millis: number) => void,
): Promise<{ readonly close: () => void }> => {
  const waiting: Waiting[] = []
  const idle: (() => void)[] = []
  const ask: Ask = (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      idle.shift()?.()
    })
  const open = async (port: number): Promise<{ readonly socket: Socket; readonly take: () => void }> => {
    const socket = connect(port, '127.0.0.1')
    let current: Waiting | null = null
    let heard = ''
    let sentAt = 0
    const take = (): void => {
      current = waiting.shift() ?? null
      if (current === null) {
        idle.push(take)
        bored(ask)
        return
      }
      sentAt = performance.now()
      socket.write(current.request)
    }
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      heard += chunk
      if (endOfResponse(heard) < 0) return
      onAnswer(performance.now() - sentAt)
      const answer = answerIn(heard)
      heard = ''
      current?.resolve(answer)
      current = null
      // Whoever was answered may go on at once.
      setImmediate(take)
    })
    socket.on('error', (cause) => current?.reject(cause))
    socket.on('close', () => current?.reject(new Error('The connection was closed before its answer.')))
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
    })
    return { socket, take }
  }
  const opened = await Promise.all(Array.from({ length: count }, (_, index) => open(ports[index % ports.length] ?? 0)))
  for (const { take } of opened) take()
  return {
    close: () => {
      for (const { socket } of opened) socket.destroy()
    },
  }
}

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** `during`: runs beside the shoppers once they are warm; what is measured is what happens while it does. */
export const crowd = async <A>(
  { ports, journey, connections, openMax }: Crowd,
  warm: number,
  during: () => Promise<A>,
): Promise<Watched & { readonly seen: A }> => {
  let latencies: number[] = []
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
    const before = finished
    const startedAt = performance.now()
    const seen = await during()
    const seconds = (performance.now() - startedAt) / 1000
    const orders = finished - before
    const sorted = latencies.sort((a, b) => a - b)
    latencies = []
    isOver = true
    await Promise.all(open)
    return {
      ordersPerSecond: orders / seconds,
      answersPerSecond: sorted.length / seconds,
      answers: sorted.length,
      seconds,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      seen,
    }
  }
  const { close } = await connectionsTo(ports, connections, come, (millis) => latencies.push(millis))
  try {
    return await Promise.race([measured(), failure])
  } finally {
    isOver = true
    close()
  }
}

// Sends prebuilt requests over a fixed number of connections. Each connection sends its next
// request as soon as it has an answer.
import { type Answer, openWire, type Wire } from './wire.ts'

export type Load = {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** In the order of the requests. */
  readonly answers: readonly Answer[]
}

export type Ask = (request: string) => Promise<Answer>

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? 0

export type Connection = {
  readonly ask: Ask
  /** The first line of the unanswered request. */
  readonly openRequest: () => string | null
  readonly close: () => void
}

export const connectionTo = async (
  port: number,
  onAnswer: (millis: number) => void,
  onLoss: (cause: Error) => void,
): Promise<Connection> => {
  type QueuedRequest = {
    readonly request: string
    readonly sentAt: number
    readonly resolve: (answer: Answer) => void
  }
  let current: QueuedRequest | null = null
  let wire: Wire | null = null
  const handleAnswer = (answer: Answer): void => {
    const asking = current
    current = null
    if (asking === null) return
    onAnswer(performance.now() - asking.sentAt)
    asking.resolve(answer)
  }
  const handleLoss = (cause: Error): void => {
    wire = null
    if (current !== null) onLoss(cause)
  }
  const connectWire = async (): Promise<Wire> => {
    wire = await openWire(port, handleAnswer, handleLoss)
    return wire
  }
  await connectWire()
  return {
    ask: (request) =>
      new Promise((resolve) => {
        current = { request, sentAt: performance.now(), resolve }
        // A server closes a connection that has been idle for long.
        if (wire === null) connectWire().then(({ send }) => send(request), onLoss)
        else wire.send(request)
      }),
    openRequest: () => current?.request.split('\r\n')[0] ?? null,
    close: () => wire?.close(),
  }
}

export const run = async (
  port: number,
  requests: readonly string[],
  connections: number,
): Promise<Load> => {
  const latencies: number[] = []
  const answers: Answer[] = []
  const lost = Promise.withResolvers<never>()
  let next = 0
  const drive = async (): Promise<void> => {
    const { ask, close } = await connectionTo(port, (millis) => latencies.push(millis), lost.reject)
    for (let index = next++; index < requests.length; index = next++)
      answers[index] = await ask(requests[index] ?? '')
    close()
  }
  const startedAt = performance.now()
  await Promise.race([Promise.all(Array.from({ length: connections }, drive)), lost.promise])
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = latencies.sort((a, b) => a - b)
  return {
    perSecond: requests.length / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    answers,
  }
}

// Sends prebuilt requests over a fixed number of connections. Each connection sends its next
// request as soon as it has an answer.
import { type Answer, openWire, type Wire } from './wire.ts'

export type Load = {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly statuses: ReadonlyMap<number, number>
  /** In the order of the requests. */
  readonly answers: readonly Answer[]
}

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? 0

export const run = async (
  port: number,
  requests: readonly string[],
  connections: number,
): Promise<Load> => {
  const latencies: number[] = []
  const answers: Answer[] = []
  const statuses = new Map<number, number>()
  let next = 0

  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let sentAt = 0
      let index = 0
      let wire: Wire | null = null
      const send = (): void => {
        index = next++
        const bytes = requests[index]
        if (bytes === undefined) {
          resolve()
          wire?.close()
          return
        }
        sentAt = performance.now()
        wire?.send(bytes)
      }
      const recordAnswer = (answer: Answer): void => {
        latencies.push(performance.now() - sentAt)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        answers[index] = answer
        send()
      }
      openWire(port, recordAnswer, reject).then((opened) => {
        wire = opened
        send()
      }, reject)
    })

  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, drive))
  const seconds = (performance.now() - startedAt) / 1000
  const sorted = latencies.sort((a, b) => a - b)
  return {
    perSecond: requests.length / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    statuses,
    answers,
  }
}

// A load generator that costs little beside what it measures: raw keep-alive sockets, prebuilt requests, one in
// flight on each. Written for this alone: a full HTTP client would take more of the machine than the servers do.
import { connect, type Socket } from 'node:net'

export type Load = {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly statuses: ReadonlyMap<number, number>
  /** In the order of the requests. */
  readonly answers: readonly string[]
}

export const request = (
  method: string,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Buffer =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
  )

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.floor(sorted.length * part)] ?? 0

/** Where one whole response ends, or -1 while there is more to come. Answers here are never chunked. */
export const endOfResponse = (text: string): number => {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0) return -1
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head)) ?? []
  const end = head + 4 + Number(length)
  return text.length >= end ? end : -1
}

export const run = async (port: number, requests: readonly Buffer[], connections: number): Promise<Load> => {
  const latencies: number[] = []
  const answers: string[] = []
  const statuses = new Map<number, number>()
  let next = 0

  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let heard = ''
      let sentAt = 0
      let index = 0
      const send = (): void => {
        index = next++
        const bytes = requests[index]
        if (bytes === undefined) {
          socket.end()
          resolve()
          return
        }
        sentAt = performance.now()
        socket.write(bytes)
      }
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        heard += chunk
        if (endOfResponse(heard) < 0) return
        latencies.push(performance.now() - sentAt)
        const status = Number(heard.slice(9, 12))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        answers[index] = heard
        heard = ''
        send()
      })
      socket.on('error', reject)
      socket.on('connect', send)
      socket.setNoDelay(true)
    })

  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, () => drive(connect(port, '127.0.0.1'))))
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

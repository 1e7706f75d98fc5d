// Runs clients that send requests and read nothing, and measures their effect: the latency of
// /healthz and the server's memory.
import { Agent, request as httpRequest } from 'node:http'
import { Worker } from 'node:worker_threads'
import type { MeasuredServer } from './measured-server.ts'
import type { RouteRequest } from './requests.ts'

type Load = {
  readonly millis: number
  readonly connections: number
  /** Sent on each connection without waiting for answers. */
  readonly requests: number
}

type Outcome = {
  /** Latencies of /healthz in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** The highest resident memory, minus the memory before the load. */
  readonly aboveCalmBytes: number
  /** The longest block of the server's event loop in milliseconds. */
  readonly blockedMillis: number
  readonly isAlive: boolean
}

const BETWEEN_HEALTH_CHECKS = 20
const SETTLE = 1_000

const bytesOf = ({ method, path, headers, body }: RouteRequest, host: string): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}${length}\r\n${body}`,
  )
}

const health = (url: string, agent: Agent): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now()
    const finish = (): void => resolve(performance.now() - began)
    httpRequest(`${url}/healthz`, { agent }, (answer) => {
      answer.resume()
      answer.on('end', finish)
    })
      .on('error', finish)
      .end()
  })

const wait = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis))

export const unread = async (
  server: MeasuredServer,
  request: RouteRequest,
  load: Load,
): Promise<Outcome> => {
  await wait(SETTLE)
  const calm = (await server.read()).residentBytes
  const url = new URL(server.url)
  const bytes = bytesOf(request, url.host)
  const agent = new Agent({ keepAlive: true })
  await server.reset()
  // In their own thread: sending gigabytes must not delay the requests to /healthz.
  const clients = new Worker(new URL('./silent-clients.ts', import.meta.url), {
    workerData: { port: Number(url.port), host: url.hostname, bytes, ...load },
  })
  const took: number[] = []
  let most = calm
  const until = performance.now() + load.millis
  try {
    while (performance.now() < until && server.isAlive()) {
      took.push(await health(server.url, agent))
      if (took.length % 10 === 0) most = Math.max(most, (await server.read()).residentBytes)
      await wait(BETWEEN_HEALTH_CHECKS)
    }
  } finally {
    await clients.terminate()
    agent.destroy()
  }
  const isAlive = server.isAlive()
  const { blockedMillis } = isAlive ? await server.read() : { blockedMillis: Number.NaN }
  took.sort((a, b) => a - b)
  const share = (part: number): number =>
    took[Math.min(took.length - 1, Math.floor(took.length * part))] ?? 0
  return {
    p50: share(0.5),
    p99: share(0.99),
    longest: took.at(-1) ?? 0,
    aboveCalmBytes: most - calm,
    blockedMillis,
    isAlive,
  }
}

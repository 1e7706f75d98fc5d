// The servers of a run and a simple load balancer: a request goes to any server, but not to one that has been silent for a
// while.

import { fileURLToPath } from 'node:url'
import { type RunningServer, startServer } from '../../harness/running-server.ts'
import type { SeededRandom } from '../../harness/seeded-random.ts'

const MAIN = fileURLToPath(new URL('./node-process.ts', import.meta.url))

export type Node = {
  readonly port: number
  server: RunningServer
  /** Everything printed by earlier processes of this node that were killed. */
  printed: string
  isOut: boolean
  /** Aborts the requests that wait for its answer. */
  silence: AbortController
}

type Nodes = {
  readonly all: readonly Node[]
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly kill: (node: Node) => Promise<void>
  readonly startAgain: (node: Node) => Promise<void>
  readonly freeze: (node: Node) => void
  /** Takes it out of the load balancer and aborts its requests. */
  readonly takeOut: (node: Node) => void
  readonly thaw: (node: Node) => void
  /** Resolves to its exit code. */
  readonly stop: (node: Node) => Promise<number | null>
  readonly output: (node: Node) => string
  readonly count: { refused: number; readonly asked: Map<number, number> }
}

type NodesOptions = {
  readonly ports: readonly number[]
  readonly env: Readonly<Record<string, string>>
  readonly seeded: SeededRandom
  readonly onViolation: (what: string) => void
  /** Called for a request that was answered with 503. It may have had its effect. */
  readonly onRefused: (method: string, path: string) => void
}

export const startNodes = async ({ ports, env, seeded, onViolation, onRefused }: NodesOptions): Promise<Nodes> => {
  const baseUrl = `http://127.0.0.1:${ports[0]}`
  const start = (port: number): Promise<RunningServer> =>
    startServer({ main: MAIN, env: { ...env, PORT: String(port), BASE_URL: baseUrl } })
  const all = await Promise.all(
    ports.map(async (port): Promise<Node> => {
      const server = await start(port)
      return { port, server, printed: '', isOut: false, silence: new AbortController() }
    }),
  )
  const count = { refused: 0, asked: new Map<number, number>() }

  return {
    all,
    count,
    fetch: async (url, init) => {
      const there = all.filter(({ isOut }) => !isOut)
      const node = there[seeded.below(there.length)] ?? all[0]
      if (node === undefined) throw new Error('There are no nodes.')
      const { pathname, search } = new URL(url)
      count.asked.set(node.port, (count.asked.get(node.port) ?? 0) + 1)
      let response: Response
      try {
        const { signal } = node.silence
        const answer = await fetch(`http://127.0.0.1:${node.port}${pathname}${search}`, { ...init, signal })
        const { status, headers } = answer
        const body = await answer.text()
        response = new Response(body === '' ? null : body, { status, headers })
      } catch (cause) {
        // A client of a load balancer sees a connection that ended without a response.
        if (cause instanceof Error && cause.name === 'AbortError') throw new TypeError('No answer came.')
        throw cause
      }
      if (response.status === 503) {
        count.refused += 1
        onRefused(init.method ?? 'GET', pathname)
        if (!/^\d+$/.test(response.headers.get('retry-after') ?? ''))
          onViolation(`${pathname} answered 503 without Retry-After.`)
      }
      return response
    },
    kill: async (node) => {
      await node.server.kill()
      node.printed += node.server.output()
    },
    startAgain: async (node) => {
      node.server = await start(node.port)
    },
    freeze: (node) => void node.server.child.kill('SIGSTOP'),
    takeOut: (node) => {
      node.isOut = true
      node.silence.abort()
    },
    thaw: (node) => {
      node.server.child.kill('SIGCONT')
      node.silence = new AbortController()
      node.isOut = false
    },
    stop: async (node) => {
      node.isOut = true
      return node.server.stop()
    },
    output: ({ printed, server }) => printed + server.output(),
  }
}

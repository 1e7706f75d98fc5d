// The host of docs/hosts/restate.md around its Restate server: its processes, and the front that its
// links lead to.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { HOST_ROUTES, type HostRoutes } from '../walk.ts'

const programOf = (page: string): string => {
  const text = readFileSync(new URL(`../../../docs/hosts/${page}`, import.meta.url), 'utf8')
  return /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

export const PROGRAMS = {
  restate: programOf('restate.md'),
  /** That of node-http.md, with a file. */
  oneProcess: programOf('node-http.md')
    .replace(
      "import { memoryStore } from '@plazo/adapters/memory'",
      "import { openSqlite } from '@plazo/adapters/sqlite'",
    )
    .replace('memoryStore()', "openSqlite(process.env.DATABASE ?? '').store"),
}

/** Those of Restate's ingress. */
export const RESTATE_ROUTES: HostRoutes = {
  ...HOST_ROUTES,
  orders: '/orders/place',
  identification: (orderRef) => `/order/${orderRef}/submit`,
  wait: (orderRef) => `/order/${orderRef}/wait`,
}

type HostProcess = {
  readonly pid: () => number
  /** Everything that it has printed. */
  readonly printed: () => string
  readonly kill: () => Promise<void>
}

/** Starts a process of the program. */
export const startHost = (program: string, env: Readonly<Record<string, string>>): HostProcess => {
  // Inside the folder of the tests, so that imports find the packages.
  const folder = fileURLToPath(new URL('../generated/restate', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const file = `${folder}/${program.length}.ts`
  writeFileSync(file, program)
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, RESTATE_LOGGING: 'ERROR', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let printed = ''
  child.stdout.on('data', (text) => {
    printed += text
  })
  const ended = once(child, 'exit')
  return {
    pid: () => child.pid ?? 0,
    printed: () => printed,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Serves a page at each `pay` link. A posted form is a payment, which it reports to the order. */
export const startFront = async (ingress: () => string) => {
  const server = createServer(async ({ method, url = '' }, response) => {
    const [, , orderRef, token] = url.split('/')
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(token) }
    const pay = () => fetch(`${ingress()}/order/${orderRef}/pay`, init).catch(() => null)
    const status = method === 'POST' ? ((await pay())?.status ?? 502) : 200
    response.writeHead(status).end('<form method="post"><button>Pay</button></form>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

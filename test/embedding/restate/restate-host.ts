// The host of docs/hosts/restate.md around its Restate server: its processes, and the front that its
// links lead to.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const page = readFileSync(new URL('../../../docs/hosts/restate.md', import.meta.url), 'utf8')

/** The page's program. */
export const [, PROGRAM = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []

type Handlers = {
  readonly pid: number
  /** Everything that it has printed. */
  readonly printed: () => string
  readonly kill: () => Promise<void>
}

/** Starts a process of the program, whose handlers listen on `port`. */
export const startHandlers = (port: number, front: string): Handlers => {
  // Inside the folder of the tests, so that imports find the packages.
  const folder = fileURLToPath(new URL('../generated/restate', import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/host.ts`, PROGRAM)
  const env = { ...process.env, PORT: String(port), FRONT: front, RESTATE_LOGGING: 'ERROR' }
  const child: ChildProcess = spawn(process.execPath, [`${folder}/host.ts`], { env })
  let printed = ''
  child.stdout?.on('data', (text) => {
    printed += text
  })
  const ended = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
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
    const paid = method === 'POST' ? await fetch(`${ingress()}/order/${orderRef}/pay`, init) : null
    response.writeHead(paid?.status ?? 200).end('<form method="post"><button>Pay</button></form>')
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

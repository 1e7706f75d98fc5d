// `pnpm restate`: the host of docs/hosts/restate.md on three Restate nodes. A node and a process of
// handlers are killed while an order is under way, and the shop must receive what any host sends.
// It needs no network, but half a minute and 400 MB, so it is no test of the gate.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../harness/ports-and-folders.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { startRestateServers } from '../harness/restate.ts'
import { HOST_ROUTES, walk } from './walk.ts'

if (process.argv.includes('--help')) {
  console.log(`pnpm restate

Takes an order through three Restate nodes, kills one of them and a process of handlers, and compares
what the shop receives with any host's.`)
  process.exit()
}

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const page = readFileSync(pathOf('../../docs/hosts/restate.md'), 'utf8')
const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
// Inside the folder of the tests, so that imports find the packages.
const file = pathOf('./generated/restate.ts')
mkdirSync(pathOf('./generated'), { recursive: true })
writeFileSync(file, program)

/** Serves a page at each `pay` link. A posted form is a payment, which it reports to the order. */
const startFront = async (ingress: string) => {
  const server = createServer(async ({ method, url = '' }, response) => {
    const [, , orderRef, token] = url.split('/')
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(token)
    if (method === 'POST')
      await fetch(`${ingress}/order/${orderRef}/pay`, { method, headers, body }).catch(() => null)
    response.end('<form method="post"><button>Pay</button></form>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const folder = mkdtempSync(join(tmpdir(), 'plazo-restate-'))
const cluster = await startRestateServers(folder, 3)
const [node, { url } = node] = cluster.nodes
const front = await startFront(url)
const port = await freePort()
let printed = ''
const startHost = () => {
  const env = { ...process.env, RESTATE_LOGGING: 'ERROR', PORT: String(port), FRONT: front.url }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  child.stdout.on('data', (text) => {
    printed += text
  })
  return child
}
const processes = [startHost()]
const shop = await startReceiver()
try {
  await cluster.register(`http://127.0.0.1:${port}`)
  // The shop has the IPN, and the handler dies before it knows.
  shop.answer('/paid/ipn', () => {
    shop.answer('/paid/ipn', { status: 200 })
    processes[0]?.kill('SIGKILL')
    processes.push(startHost())
    return null
  })
  /** A webhook counts once, however often it was sent. */
  const shopOfOnce: Receiver = {
    ...shop,
    get received() {
      return [...new Map(shop.received.map((each) => [each.headers['webhook-id'], each])).values()]
    },
  }
  let hasPaused = false
  const record = await walk({
    url,
    routes: {
      ...HOST_ROUTES,
      orders: '/orders/place',
      identification: (orderRef) => `/order/${orderRef}/submit`,
      wait: (orderRef) => `/order/${orderRef}/wait`,
    },
    printed: () => printed,
    shop: shopOfOnce,
    pause: async () => {
      if (!hasPaused) await node.kill()
      hasPaused = true
    },
  })
  const expected = readFileSync(pathOf('./walk-record.txt'), 'utf8')
  assert.equal(record, expected)
  const [first, second, ...others] = shop.received.filter(({ path }) => path === '/paid/ipn')
  assert.deepEqual([second?.body, others], [first?.body, []])
  console.log('A node and a handler were killed. Nothing was lost, and nothing done twice.')
} finally {
  for (const child of processes) child.kill('SIGKILL')
  await cluster.stop()
  front.close()
  await shop.close()
  rmSync(folder, { recursive: true })
  rmSync(file)
}

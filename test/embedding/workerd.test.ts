// Durable Objects inside workerd, the runtime of Cloudflare Workers: one keeps the contract of a base and,
// encrypted, of erasure, and those of docs/hosts/durable-object.md are a host. One process serves both.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort, temporaryPath } from '../harness/ports-and-folders.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { DEMO } from '../harness/shop.ts'
import { walk } from './walk.ts'

// It has no types. Its main module is the path of the program.
const { default: workerd }: { readonly default: string } = createRequire(import.meta.url)('workerd')
const source = fileURLToPath(new URL('./workerd/durable-object.ts', import.meta.url))
const page = fileURLToPath(new URL('../../docs/hosts/durable-object.md', import.meta.url))
const [, program = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? []

type Ports = { readonly contract: number; readonly host: number; readonly shop: number }

/** The host calls out through an egress that leads each name to the shop. */
const configOf = (folder: string, { contract, host, shop }: Ports): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "contract", worker = .contract),
    (name = "host", worker = .host),
    (name = "disk", disk = (path = "${folder}/objects", writable = true)),
    (name = "egress", external = (address = "127.0.0.1:${shop}", http = ())),
  ],
  sockets = [
    (name = "contract", address = "127.0.0.1:${contract}", http = (), service = "contract"),
    (name = "host", address = "127.0.0.1:${host}", http = (), service = "host"),
  ],
);
const contract :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "contract.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Orders", uniqueKey = "contract", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "ORDERS", durableObjectNamespace = "Orders")],
);
const host :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "host.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Order", uniqueKey = "host", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "ORDERS", durableObjectNamespace = "Order"),
    (name = "BASE_URL", text = "http://127.0.0.1:${host}"),
    (name = "SECRET_KEY", text = "first:${btoa('0123456789abcdef'.repeat(2))}"),
    (name = "SHOP_SECRET", text = "${DEMO.secret}"),
  ],
  globalOutbound = "egress",
);`

/** Only the package "expect" of the tests needs modules of Node, which workerd has too. */
const REQUIRE = `import { createRequire } from 'node:module'
const require = createRequire('/')
const [__dirname, __filename] = ['/', '/worker.js']`

const TRIES = 300

/** Waits until workerd answers. */
const fetchWhenReady = async (url: string): Promise<Response> => {
  for (let tried = 1; ; tried++)
    try {
      return await fetch(url)
    } catch (cause) {
      if (tried === TRIES) throw cause
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
}

const { path: config, remove } = temporaryPath('config.capnp')
const folder = dirname(config)
let shop: Receiver
let ports: Ports
let runtime: ChildProcess
let printed = ''

const startRuntime = (): void => {
  runtime = spawn(workerd, ['serve', config])
  for (const stream of [runtime.stdout, runtime.stderr])
    stream?.on('data', (text) => {
      printed += text
    })
}

const endRuntime = async (): Promise<void> => {
  const ended = once(runtime, 'exit')
  runtime.kill('SIGKILL')
  await ended
}

beforeAll(async () => {
  mkdirSync(`${folder}/objects`)
  const bundle = (name: string, options: BuildOptions) =>
    build({ outfile: `${folder}/${name}.js`, bundle: true, format: 'esm', ...options })
  await bundle('contract', {
    entryPoints: [source],
    platform: 'node',
    banner: { js: REQUIRE },
  })
  await bundle('host', {
    stdin: { contents: program, resolveDir: dirname(source) },
    platform: 'browser',
    external: ['cloudflare:workers'],
  })
  shop = await startReceiver()
  ports = {
    contract: await freePort(),
    host: await freePort(),
    shop: Number(new URL(shop.url).port),
  }
  writeFileSync(config, configOf(folder, ports))
  startRuntime()
})
afterAll(async () => {
  await endRuntime()
  await shop.close()
  remove()
})

it('a Durable Object keeps the contract of a base inside workerd', async () => {
  const answer = await fetchWhenReady(`http://127.0.0.1:${ports.contract}/`)
  const results = (await answer.json()) as readonly { readonly error: string | null }[]
  const failed = results.filter(({ error }) => error !== null)
  expect(failed).toEqual([])
  expect(results.length).toBeGreaterThan(30)
})

it('the host of docs/hosts/durable-object.md sends what others send, though workerd is killed between steps', async () => {
  const lines = program.trim().split('\n')
  expect(lines.length).toBeLessThanOrEqual(110)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
  const url = `http://127.0.0.1:${ports.host}`
  await fetchWhenReady(url)
  const restart = async () => {
    await endRuntime()
    startRuntime()
    await fetchWhenReady(url)
  }
  const host = { url, shop, shopUrl: 'https://shop.example', printed: () => printed }
  const record = await walk({ ...host, pause: restart })
  await expect(record).toMatchFileSnapshot('walk-record.txt')
})

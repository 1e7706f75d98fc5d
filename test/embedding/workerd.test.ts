// A Durable Object keeps the store contract inside workerd, the runtime of Cloudflare Workers, in the
// clear and encrypted. The rows themselves need nothing of Node.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../harness/path-of-test.ts'
import { freePort } from '../harness/ports-and-folders.ts'

// It has no types. Its main module is the path of the program.
const { default: workerd }: { readonly default: string } = createRequire(import.meta.url)('workerd')
const source = fileURLToPath(new URL('./workerd/durable-object.ts', import.meta.url))

const configOf = (folder: string, port: number): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "${folder}/objects", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Orders", uniqueKey = "orders", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "ORDERS", durableObjectNamespace = "Orders")],
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

it('a Durable Object keeps the store contract inside workerd', async () => {
  const folder = dirname(pathOfTest('worker.js'))
  mkdirSync(join(folder, 'objects'))
  await build({
    entryPoints: [source],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: REQUIRE },
  })
  const port = await freePort()
  writeFileSync(join(folder, 'config.capnp'), configOf(folder, port))
  const runtime = spawn(workerd, ['serve', join(folder, 'config.capnp')], { stdio: 'ignore' })
  onTestFinished(() => void runtime.kill())
  const answer = await fetchWhenReady(`http://127.0.0.1:${port}/`)
  const results = (await answer.json()) as readonly { readonly error: string | null }[]
  expect(results.filter(({ error }) => error !== null)).toEqual([])
  expect(results.length).toBeGreaterThan(150)
})

it('rows are bundled for a runtime without Node', async () => {
  const { warnings } = await build({
    stdin: { contents: `export * from '@plazo/adapters/rows'`, resolveDir: dirname(source) },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  expect(warnings).toEqual([])
})

// The bundled server in other runtimes than Node, on a SQLite file, which works there too.
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../harness/path-of-test.ts'
import { startReceiver } from '../harness/receiver.ts'
import { errorsIn, startServer } from '../harness/running-server.ts'
import { CODE, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const pathOfModule = (file: string): string =>
  fileURLToPath(new URL(`../../node_modules/${file}`, import.meta.url))

it.each([
  ['Bun', [pathOfModule('.bin/bun')]],
  ['Deno', [pathOfModule('deno-runtime/deno'), 'run', '--allow-all', '--cached-only']],
])('the server starts in %s, takes an order to its IPN, and stops', async (_, runtime) => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const server = await startServer({
    runtime,
    env: { DATABASE_URL: `sqlite:${pathOfTest('plazo.db')}`, DENO_DIR: pathOfTest('deno') },
  })
  onTestFinished(server.kill)
  const shop = shopAt(server.url)
  const orderRef = await shop.place({ merchant: { notify_url: `${receiver.url}/ipn` } })
  await shop.submit(orderRef)
  await shop.submit(orderRef, { validation_code: CODE })
  await shop.advance(2)
  await shop.submit(orderRef)
  await waitUntil(() => receiver.received.length > 0)
  expect(receiver.received[0]?.fields).toMatchObject({ order_ref: orderRef })
  await waitUntil(async () => (await shop.wait(orderRef)).action === 'finish')
  expect(errorsIn(server.output())).toEqual([])
  expect(await server.stop()).toBe(0)
})

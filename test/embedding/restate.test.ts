// Runs the host of docs/hosts/restate.md on one Restate server, and kills both while an order is
// under way. With three nodes this is a command, `./pnpm restate`.
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../harness/path-of-test.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { startRestateServers } from '../harness/restate.ts'
import { PROGRAMS, RESTATE_ROUTES, startFront, startHost } from './restate/restate-host.ts'
import { walk } from './walk.ts'

it('the program has at most 85 lines of 100 columns', () => {
  const lines = PROGRAMS.restate.trim().split('\n')
  expect(lines.length).toBeLessThanOrEqual(85)
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100)
})

/** A shop that counts a webhook once, however often it was sent. */
const withoutRepeats = (shop: Receiver): Receiver => ({
  ...shop,
  get received() {
    const webhooks = new Map(shop.received.map((each) => [each.headers['webhook-id'], each]))
    return [...webhooks.values()]
  },
})

it('a killed server and a killed handler lose nothing, and the shop receives what any host sends', async () => {
  const cluster = await startRestateServers(dirname(pathOfTest('restate')))
  onTestFinished(() => cluster.stop())
  const [server] = cluster.nodes
  const front = await startFront(() => server.url)
  onTestFinished(() => front.close())
  const port = await freePort()
  const start = () => startHost(PROGRAMS.restate, { PORT: String(port), FRONT: front.url })
  const processes = [start()]
  onTestFinished(async () => void (await Promise.all(processes.map(({ kill }) => kill()))))
  await cluster.register(`http://127.0.0.1:${port}`)

  const shop = await startReceiver()
  onTestFinished(() => shop.close())
  // The shop has the IPN, and the handler dies before it knows.
  shop.answer('/paid/ipn', () => {
    shop.answer('/paid/ipn', { status: 200 })
    void processes[0]?.kill()
    processes.push(start())
    return null
  })
  let pauses = 0
  const received = await walk({
    url: server.url,
    routes: RESTATE_ROUTES,
    printed: () => processes.map(({ printed }) => printed()).join(''),
    shop: withoutRepeats(shop),
    pause: async () => {
      pauses += 1
      if (pauses > 1) return
      await server.kill()
      await server.start()
    },
  })
  await expect(received).toMatchFileSnapshot('walk-record.txt')
  const ipns = shop.received.filter(({ path }) => path === '/paid/ipn')
  expect(ipns).toHaveLength(2)
  expect(ipns[1]?.headers['webhook-id']).toBe(ipns[0]?.headers['webhook-id'])
  expect(ipns[1]?.body).toBe(ipns[0]?.body)
})

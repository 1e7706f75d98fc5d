// Case 30 of docs/delivery.md with real processes: of two servers on one database, the kernel freezes one (SIGSTOP) for longer
// than its lease, while merchants delay their answers.
import type { ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressesAt, requestsAt, stagesOf, stateOf } from '../e2e/stages.ts'
import { type Received, type Receiver, startReceiver } from '../harness/receiver.ts'
import { type RunningServer, startServer } from '../harness/running-server.ts'
import { type Json, shopAt } from '../harness/shop.ts'
import { temporaryPath } from '../harness/temporary-path.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MAIN = fileURLToPath(new URL('../harness/server-process.ts', import.meta.url))
// Much longer than a request takes to arrive here.
const LEASE = '5000'

const { path, remove } = temporaryPath('plazo.db')
const servers: RunningServer[] = []
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(async () => {
  for (const server of servers) await server.kill()
  await receiver.close()
  remove()
})

const start = async (): Promise<RunningServer> => {
  const server = await startServer({ main: MAIN, env: { DATABASE_URL: `sqlite:${path}`, LEASE } })
  servers.push(server)
  return server
}

/** Requests to this path are answered only when the test calls the returned function. */
const holding = (address: string): ((status: number, body?: string) => void) => {
  let held: ServerResponse | null = null
  receiver.answer(address, (_, response) => {
    held = response
    return null
  })
  return (status, body = '') => held?.writeHead(status).end(body)
}

const idsOf = (requests: readonly Received[]): readonly unknown[] => [
  ...new Set(requests.map(({ headers }) => headers['webhook-id'])),
]

const lostLeases = async ({ url }: RunningServer): Promise<number> =>
  Number(/^plazo_lost_leases_total (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

describe('a server frozen past its lease', () => {
  it('is replaced by the other, with the same Webhook-Id, and its own late answers change nothing', async () => {
    const frozen = await start()
    const shop = shopAt(frozen.url)
    const stages = stagesOf(shop)
    const [asked, confirming] = [addressesAt(receiver, 'frozen-cancel'), addressesAt(receiver, 'frozen-ipn')]
    const cancelling = await stages.settled({}, { merchant: asked.merchant })
    expect((await stateOf(shop, cancelling)).checkout).toBe('confirmed')
    const placed = await stages.screened({}, { merchant: confirming.merchant })

    // Both requests are in flight, at slow merchants, when the process is stopped.
    const answerCancel = holding(asked.events)
    const answerIpn = holding(confirming.ipn)
    await shop.decide(cancelling, 'request-cancellation')
    await shop.submit(placed)
    await waitUntil(
      () => requestsAt(receiver, asked.events).length === 1 && requestsAt(receiver, confirming.ipn).length === 1,
    )
    frozen.child.kill('SIGSTOP')

    receiver.answer(asked.events, { status: 200, body: '{"result":"retry","retry_in":60}' })
    receiver.answer(confirming.ipn, { status: 200 })
    const other = shopAt((await start()).url)
    await waitUntil(async () => (await stateOf(other, cancelling)).cancellation === 'waiting')
    await waitUntil(async () => (await stateOf(other, placed)).checkout === 'confirmed')
    expect(idsOf(requestsAt(receiver, asked.events))).toHaveLength(1)
    // The IPNs of both orders.
    expect(idsOf(requestsAt(receiver, confirming.ipn))).toHaveLength(1)

    // Without the freeze, these answers would have ended both requests.
    answerCancel(200, '{"result":"cancelled"}')
    answerIpn(409)
    frozen.child.kill('SIGCONT')
    await waitUntil(async () => (await lostLeases(frozen)) === 2)
    for (const from of [shop, other]) {
      expect(await stateOf(from, cancelling)).toMatchObject({ checkout: 'confirmed', cancellation: 'waiting' })
      expect(await stateOf(from, placed)).toMatchObject({ checkout: 'confirmed', cancellation: 'none' })
    }
    const events = [...(await other.history(cancelling)), ...(await other.history(placed))].map(({ event }) => event)
    expect(events).toEqual(expect.arrayContaining(['cancel.deferred', 'ipn.accepted']))
    expect(events.filter((event) => event === 'cancel.agreed' || event === 'ipn.conflicted')).toEqual([])
    for (const ref of [cancelling, placed]) {
      const list = await other.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${ref}`)
      const delivery = ((await list.json()) as readonly Json[]).at(-1)
      expect(delivery).toMatchObject({ state: 'delivered', attempts: [{ outcome: 'lost' }, { outcome: 'accepted' }] })
    }
    expect([requestsAt(receiver, asked.events).length, requestsAt(receiver, confirming.ipn).length]).toEqual([2, 2])
  })
})

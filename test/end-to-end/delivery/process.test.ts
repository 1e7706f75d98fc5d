// Deliveries while the process is stopped; ../../faults/cluster/run.test.ts has those while it is
// killed.
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { type ReceivedRequest, startReceiver } from '../../harness/receiver.ts'
import { type RunningServer, startServer } from '../../harness/running-server.ts'
import { shopAt } from '../../harness/shop.ts'
import { waitUntil } from '../../harness/time.ts'
import { addressesAt, requestsAt, stagesOf, stateOf, surnames } from '../stages.ts'

const HOUR = 3_600
const DENIAL = surnames('denial event')

const receiver = await startReceiver()
afterAll(() => receiver.close())

const eventsAt = (name: string): readonly ReceivedRequest[] =>
  requestsAt(receiver, `/${name}/events`)
const idsOf = (requests: readonly ReceivedRequest[]): readonly string[] =>
  requests.map(({ headers }) => String(headers['webhook-id']))

const startOn = async (
  path: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> => {
  const server = await startServer({ env: { ...env, DATABASE_URL: `sqlite:${path}` } })
  onTestFinished(server.kill)
  return server
}

describe('a service that is asked to stop', () => {
  it('on SIGTERM no request begins, open requests are completed, the exit code is 0, and the next process sends the rest', async () => {
    const path = pathOfTest('plazo.db')
    const { events, merchant } = addressesAt(receiver, 'asked-to-stop')
    const answers: (() => void)[] = []
    receiver.answer(events, (_, response) => {
      answers.push(() => response.writeHead(200).end())
      return null
    })
    const first = await startOn(path, { WEBHOOK_CONCURRENCY: '2' })
    const shop = shopAt(first.url)
    const stages = stagesOf(shop)
    // A merchant whose last event was answered well may have several in flight.
    const good = addressesAt(receiver, 'good')
    const answered = await stages.screened(DENIAL, { merchant: good.merchant })
    await shop.submit(answered, DENIAL)
    await waitUntil(() => eventsAt('good').length === 1)
    const refs: string[] = []
    for (let count = 0; count < 6; count++) refs.push(await stages.screened(DENIAL, { merchant }))
    await Promise.all(refs.map((ref) => shop.submit(ref, DENIAL)))
    await waitUntil(() => answers.length === 2)
    const stopped = first.terminate()
    await waitUntil(() =>
      fetch(`${first.url}/healthz`).then(
        () => false,
        () => true,
      ),
    )
    for (const release of answers) release()
    expect(await stopped).toBe(0)
    expect(eventsAt('asked-to-stop')).toHaveLength(2)

    receiver.answer(events, { status: 200 })
    const second = await startOn(path)
    await waitUntil(() => eventsAt('asked-to-stop').length === 6)
    await shopAt(second.url).advance(HOUR)
    const ids = idsOf(eventsAt('asked-to-stop'))
    expect(ids).toHaveLength(6)
    expect(new Set(ids).size).toBe(6)
    for (const ref of refs)
      expect(await stateOf(shopAt(second.url), ref)).toMatchObject({ checkout: 'rejected' })
    // A claimed job that was not started is not an attempt.
    const listed = await shopAt(second.url).asMerchant('GET', '/merchants/demo/deliveries')
    const deliveries = (await listed.json()) as readonly {
      readonly attempts: readonly { readonly outcome: string }[]
    }[]
    const attempts = deliveries.flatMap((each) => each.attempts)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(Array(7).fill('accepted'))
  })
})

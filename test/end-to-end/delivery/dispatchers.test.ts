// A request that is repeated has the same key and bytes: by another dispatcher, and after a rotation
// of the secret.
import type { ServerResponse } from 'node:http'
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  type Delivery,
  type FullStore,
  type MerchantGateway,
  waitAction,
} from '@plazo/core/internal'
import { aMerchant, openShop, SECOND, terms, unwrap } from '@plazo/core/internal/testing'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sign, verifyStandardWebhook } from '../../../packages/adapters/src/http/signature.ts'
import { queryPostgres } from '../../harness/postgres.ts'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { aGateway, SECRET } from '../../harness/raw-merchant.ts'
import {
  type Answer,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
} from '../../harness/receiver.ts'
import { handTimers, waitUntil } from '../../harness/time.ts'
import { anEvent, placeWith, startEngine } from './engine.ts'

const aReceiver = async (): Promise<Receiver> => {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  return receiver
}

const aHome = (path = ':memory:') => {
  const home = openSqlite(path)
  onTestFinished(home.close)
  return home
}

/** On PostgreSQL, with time that the test moves. */
const aNode = async (url?: string) => {
  const { timers, move } = handTimers()
  const home = await openPostgresTestStorage({ timers, ...(url && { url }) })
  onTestFinished(home.close)
  return { ...home, move }
}

const at = ({ received }: Receiver, path: string): readonly ReceivedRequest[] =>
  received.filter((request) => request.path === path)

const idOf = ({ headers }: ReceivedRequest): string => String(headers['webhook-id'])

/** Requests that wait until a test answers them. */
const holdRequests = () => {
  const exchanges: { readonly request: ReceivedRequest; readonly response: ServerResponse }[] = []
  const answer: Answer = (request, response) => {
    exchanges.push({ request, response })
    return null
  }
  return { exchanges, answer }
}

/** Redirects calls for the shop's own addresses to the receiver. */
const withAddress = (gateway: MerchantGateway, { url }: Receiver): MerchantGateway => ({
  post: (request) =>
    gateway.post({ ...request, url: request.url.replace('http://shop.test', url) }),
})

const deliveryOf = (store: FullStore, merchantRef: string, id: string): Promise<Delivery> =>
  unwrap(store.deliveries.find(merchantRef, id))

describe('a dispatcher next to another', () => {
  it('if a dispatcher is frozen, another one repeats the request, and the late result changes nothing', async () => {
    const frozen = await aNode()
    const other = await aNode(frozen.url)
    const receiver = await aReceiver()
    const { exchanges, answer } = holdRequests()
    receiver.answer('/events', answer)
    const gateway = withAddress(aGateway(), receiver)

    const shop = openShop(frozen.store)
    const orderRef = await shop.place(aMerchant('demo', { sendActionEvents: false }))
    await shop.leadToConfirmation(orderRef)
    await shop.completeClaim(await shop.claimOne(orderRef, 'ipn'), {
      type: 'ipn.accepted',
      inReplyTo: (await shop.read(orderRef)).context.pending.ipn ?? '',
    })
    await shop.applyEvent(orderRef, { type: 'cancellation.requested' })

    const first = startEngine({ shop, gateway })
    await waitUntil(() => exchanges.length === 1)
    await queryPostgres(frozen.url, 'update plazo.lease set until = 0')
    const second = startEngine({ shop, store: other.store, gateway })
    await waitUntil(async () => {
      // The other node asks once a second. The attempts of the frozen one have had their time.
      await queryPostgres(frozen.url, 'update plazo.lease set former_until = 0')
      other.move(SECOND)
      second.wake()
      return exchanges.length === 2
    })
    exchanges[1]?.response.end('{"result":"toolate","late_by":5}')
    await waitUntil(() => second.settled.some(({ key }) => key.endsWith(':cancel')))
    const decided = await shop.read(orderRef)
    const journal = await shop.journal(orderRef)
    expect(decided).toMatchObject({
      state: { cancellation: 'tooLate' },
      context: { lateByMinutes: 5 },
    })

    exchanges[0]?.response.end('{"result":"cancelled"}')
    await waitUntil(() => first.settled.some(({ as }) => as === 'lost'))
    expect(await shop.read(orderRef)).toEqual(decided)
    expect(await shop.journal(orderRef)).toEqual(journal)
    expect(waitAction(decided, terms, shop.now())).toMatchObject({ action: 'finish' })
    const [request, repetition, ...more] = at(receiver, '/events')
    expect(more).toEqual([])
    expect([repetition && idOf(repetition), repetition?.body]).toEqual([
      request && idOf(request),
      request?.body,
    ])
    const { state, attempts } = await deliveryOf(
      other.store,
      'demo',
      request === undefined ? '' : idOf(request),
    )
    expect([state, ...attempts.map(({ outcome }) => outcome)]).toEqual(['delivered', 'accepted'])
  })
})

describe('a secret', () => {
  it('after a rotation, a retry has the same bytes; the new secret signs it, and Webhook-Signature has both signatures', async () => {
    const FORMER = SECRET
    const CURRENT = 'fedcba9876543210fedcba9876543210'
    let secrets: readonly string[] = [FORMER]
    const shop = openShop(aHome().store)
    const receiver = await aReceiver()
    receiver.answer('/events', { status: 500 })
    const engine = startEngine({ shop, gateway: aGateway({ secretsOf: () => TE.right(secrets) }) })
    await placeWith(shop, 'demo', [anEvent(`${receiver.url}/events`)])
    await engine.drain()
    secrets = [CURRENT, FORMER]
    shop.advance(10 * SECOND)
    await engine.drain()

    const [first, second] = at(receiver, '/events')
    if (first === undefined || second === undefined) throw new Error('There were no two attempts.')
    expect(second.body).toBe(first.body)
    expect(idOf(second)).toBe(idOf(first))
    expect(first.headers['x-service-signature']).toBe(sign(FORMER, first.body))
    expect(second.headers['x-service-signature']).toBe(sign(CURRENT, second.body))
    for (const secret of [CURRENT, FORMER]) {
      const { headers, body } = second
      const message = { id: idOf(second), timestamp: Number(headers['webhook-timestamp']), body }
      expect(verifyStandardWebhook([secret], message, String(headers['webhook-signature']))).toBe(
        true,
      )
    }
  })
})

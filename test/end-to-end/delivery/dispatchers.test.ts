// Dispatchers that share a store and a clock, with many merchants. The titles number the forty
// cases.
import type { ServerResponse } from 'node:http'
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  type Delivery,
  type FullStore,
  type MerchantGateway,
  waitAction,
} from '@plazo/core/internal'
import { aMerchant, HOUR, openShop, SECOND, terms, unwrap } from '@plazo/core/internal/testing'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sign, verifyStandardWebhook } from '../../../packages/adapters/src/http/signature.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'
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
import { anEvent, anIpn, placeWith, startEngine } from './engine.ts'

const DAY = 24 * HOUR

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
  it('30. if a dispatcher is frozen, another one repeats the request, and the late result changes nothing', async () => {
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

describe('a clock that is changed', () => {
  it('31. a clock set forward by 8 days leads to one last attempt; a clock set back by a day makes no attempt earlier', async () => {
    const home = aHome()
    const shop = openShop(home.store)
    let offset = 0
    const receiver = await aReceiver()
    receiver.answer('/failing', { status: 500 })
    const engine = startEngine({ shop, gateway: aGateway(), now: () => shop.now() + offset })

    const [failing = ''] = await placeWith(shop, 'demo', [anEvent(`${receiver.url}/failing`)])
    engine.wake()
    await waitUntil(() => engine.settled.length === 1)
    offset = -DAY
    for (let woken = 0; woken < 3; woken++) await engine.drain()
    expect(at(receiver, '/failing')).toHaveLength(1)
    expect(await unwrap(home.store.nextDueAt())).toBe(shop.now() + 10 * SECOND)
    offset = 10 * SECOND
    await engine.drain()
    expect(at(receiver, '/failing')).toHaveLength(2)

    offset = 8 * DAY
    await engine.drain()
    expect(engine.trouble).toEqual(Array<string>(3).fill('answered 500'))
    expect(at(receiver, '/failing')).toHaveLength(3)
    expect(await unwrap(home.store.nextDueAt())).toBeNull()
    expect(await deliveryOf(home.store, 'demo', failing)).toMatchObject({
      state: 'exhausted',
      dueAt: null,
    })
  })
})

describe('a secret', () => {
  it('32. after a rotation, a retry has the same bytes; the new secret signs it, and Webhook-Signature has both signatures', async () => {
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

describe('a merchant who hangs', () => {
  it('34. a hanging merchant with 10,000 due events has one open request; its IPNs and other merchants are not delayed', async () => {
    const shop = openShop(aHome().store)
    const receiver = await aReceiver()
    const { exchanges, answer } = holdRequests()
    receiver.answer('/hanging', answer)
    const hanging = Array.from({ length: 100 }, () => anEvent(`${receiver.url}/hanging`))
    await Promise.all(Array.from({ length: 100 }, () => placeWith(shop, 'hanging', hanging)))
    const engine = startEngine({ shop, gateway: aGateway() })
    await waitUntil(() => exchanges.length === 1)

    await placeWith(
      shop,
      'healthy',
      Array.from({ length: 10 }, () => anEvent(`${receiver.url}/healthy`)),
    )
    await placeWith(
      shop,
      'hanging',
      Array.from({ length: 10 }, () => anIpn(`${receiver.url}/own-ipn`)),
    )
    engine.wake()
    await waitUntil(() => engine.settled.length === 20)
    expect([at(receiver, '/healthy').length, at(receiver, '/own-ipn').length]).toEqual([10, 10])
    // Meanwhile none of its 10,000 events has been answered, and no second request has started.
    expect(exchanges).toHaveLength(1)

    // Its answer makes room for the next.
    exchanges[0]?.response.end()
    await waitUntil(() => exchanges.length > 1)
    expect(new Set(exchanges.map(({ request }) => idOf(request))).size).toBe(exchanges.length)
  })
})

describe('an unreachable database', () => {
  it('35. a result waits for an unreachable database; if the process ends first, the request is repeated, and nothing is lost', async () => {
    const path = pathOfTest('plazo.db')
    const [home, other] = [aHome(path), aHome(path)]
    const shop = openShop(home.store)
    const receiver = await aReceiver()
    let isAway = true
    let tries = 0
    const store: FullStore = {
      ...home.store,
      complete: (...parameters) => {
        tries += 1
        return isAway
          ? TE.left({ _tag: 'Unavailable', code: 'unknown', message: 'away' })
          : home.store.complete(...parameters)
      },
    }
    await placeWith(shop, 'demo', [anEvent(`${receiver.url}/first`)])
    const engine = startEngine({ shop, store, gateway: aGateway() })
    await waitUntil(() => tries > 2)
    isAway = false
    await waitUntil(() => engine.settled.length === 1)
    expect(engine.settled[0]?.as).toBe('delivered')
    expect(at(receiver, '/first')).toHaveLength(1)

    isAway = true
    tries = 0
    await placeWith(shop, 'demo', [anEvent(`${receiver.url}/second`)])
    engine.wake()
    await waitUntil(() => tries > 2)
    // The process ends with its result.
    await home.close()
    const resent = startEngine({ shop, store: other.store, gateway: aGateway() })
    await waitUntil(() => resent.settled.length === 1)
    expect(resent.settled[0]?.as).toBe('delivered')
    expect(at(receiver, '/second')).toHaveLength(2)
    expect(new Set(at(receiver, '/second').map(idOf)).size).toBe(1)
  })
})

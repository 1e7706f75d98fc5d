// A merchant of the sandbox makes its own webhooks go wrong, in either direction. Sandbox rules,
// Fault drills.
import { verify } from '@plazo/adapters/http'
import type { DeliveryView } from '@plazo/core/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import type { Drills, Inbox } from '../../packages/server/src/sandbox/webhooks/protocol.ts'
import type { Answer } from '../harness/receiver.ts'
import { DEMO, type Json, type Shop } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, surnames } from './stages.ts'

const DAY = 86_400

const { server, receiver, shop, stages } = await servedShop({ LOG_LEVEL: 'warn' })

const setDrill = async (drill: object): Promise<Drills> => {
  const answer = await shop.asMerchant('POST', '/sandbox/drills', drill)
  expect(answer.status).toBe(201)
  return (await answer.json()) as Drills
}
const inbox = async (): Promise<Inbox> =>
  (await shop.send('GET', '/sandbox/demo/inbox')).json() as Promise<Inbox>
const deliveriesOf = async (orderRef: string, of: Shop = shop): Promise<readonly DeliveryView[]> =>
  (
    await of.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${orderRef}`)
  ).json() as Promise<readonly DeliveryView[]>

/** Everything that is stored about an order, without what differs between any two orders. */
const storedAbout = async (orderRef: string): Promise<unknown> => {
  const stored = [
    await shop.order(orderRef),
    await shop.history(orderRef),
    await deliveriesOf(orderRef),
  ]
  return JSON.parse(
    JSON.stringify(stored)
      .replaceAll(orderRef, 'ORDER')
      .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"INSTANT"')
      .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
      .replaceAll(/,"drill":"\w+"/g, ''),
  )
}
const ipnOf = async (orderRef: string) =>
  (await deliveriesOf(orderRef)).find(({ event }) => event === 'ipn')

/** An order whose outcome is known and whose IPN was sent once. */
const reachEnd = (overrides: Parameters<typeof stages.settled>[1] = {}) =>
  stages.settled({}, overrides)

afterEach(() => shop.asMerchant('DELETE', '/sandbox/drills'))

describe('a drill of the shop', () => {
  it('signs wrongly, which a receiver refuses, and then rightly on schedule', async () => {
    await setDrill({ fault: 'wrong_signature', event: 'ipn' })
    const orderRef = await reachEnd()
    expect(await ipnOf(orderRef)).toMatchObject({ attempts: [{ status: 401, outcome: 'error' }] })
    const [refused] = (await inbox()).requests
    expect(refused).toMatchObject({
      signature: 'wrong',
      order_ref: orderRef,
      drill: 'wrong_signature',
    })
    await shop.advance(60)
    const ipn = await ipnOf(orderRef)
    expect(ipn?.state).toBe('delivered')
    expect(ipn?.attempts.map(({ drill }) => drill)).toEqual(['wrong_signature', undefined])
    expect(await shop.order(orderRef)).toMatchObject({ state: { checkout: 'confirmed' } })
  })
})

describe('the store', () => {
  const receivingAt = (name: string, answers: readonly Answer[] = []) => {
    const { ipn, merchant } = addressesAt(receiver, name)
    const answersLeft = [...answers]
    receiver.answer(ipn, (request, response) => {
      const answer = answersLeft.shift() ?? { status: 200 }
      return typeof answer === 'function' ? answer(request, response) : answer
    })
    return merchant
  }

  /** Two attempts, if the first fails. */
  const endOf = async (merchant: Json): Promise<unknown> => {
    const orderRef = await reachEnd({ merchant })
    await shop.advance(60)
    return storedAbout(orderRef)
  }

  it.each([
    { fault: 'duplicate' },
    { fault: 'delay', seconds: 1 },
    { fault: 'reorder', seconds: 1 },
    { fault: 'late_cancel' },
    { fault: 'slow', seconds: 1 },
  ])('holds the same with and without a drill of an accepted IPN: %j', async (drill) => {
    const without = await endOf(receivingAt(`without-${drill.fault}`))
    await setDrill({ ...drill, event: 'ipn' })
    expect(await endOf(receivingAt(`with-${drill.fault}`))).toEqual(without)
    expect(await shop.send('GET', '/sandbox/demo/drills').then((answer) => answer.json())).toEqual({
      drills: [],
    })
  })

  it.each([
    ['error_then_ok', { status: 500, body: 'Internal Server Error' }],
    ['not_json', { status: 200, body: '<!doctype html><title>It works!</title>' }],
    ['conflict', { status: 409 }],
    ['gone', { status: 410 }],
    ['redirect', { status: 302 }],
    ['wrong_signature', { status: 401 }],
  ])('holds what a shop would cause that answers like %s', async (fault, answer) => {
    const without = await endOf(receivingAt(`shop-${fault}`, [answer]))
    await setDrill({ fault, event: 'ipn' })
    const checkSignature: Answer = ({ headers, body }) => ({
      status: verify(DEMO.secret, body, String(headers['x-service-signature'])) ? 200 : 401,
    })
    expect(await endOf(receivingAt(`drill-${fault}`, [checkSignature]))).toEqual(without)
    const calls = receiver.received.filter(({ path }) => path === `/drill-${fault}/ipn`)
    expect(calls).toHaveLength({ redirect: 1, wrong_signature: 2 }[fault] ?? 0)
  })
})

it('a drill ends by real time: the sandbox’s clock does not end it', async () => {
  const [drill] = (await setDrill({ fault: 'hang', event: 'cancel' })).drills
  await shop.advance(7 * DAY)
  expect(await (await shop.asMerchant('GET', '/sandbox/drills')).json()).toEqual({
    drills: [drill],
  })
})

it('a delivery that a drill exhausts raises no alert', async () => {
  const alertsOf = (orderRef: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"alert"') && line.includes(orderRef))
  const exhaustedCount = async (): Promise<number> => {
    const text = await (await shop.send('GET', '/metrics')).text()
    return Number(/^plazo_exhausted_total\{event="denied"\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  const exhaust = async (name: string): Promise<string> => {
    const { events, merchant } = addressesAt(receiver, name)
    receiver.answer(events, { status: 500 })
    const orderRef = await stages.settled(surnames('denial event'), { merchant })
    await shop.advance(7 * DAY)
    return orderRef
  }
  // Two deliveries: of the only one, each attempt is touched.
  await setDrill({ fault: 'duplicate', event: 'denied', count: 2 })
  const before = await exhaustedCount()
  const drilled = await exhaust('drilled')
  expect(await exhaustedCount()).toBe(before)
  await shop.asMerchant('DELETE', '/sandbox/drills')
  const broken = await exhaust('broken')
  await waitUntil(() => alertsOf(broken).length > 0)
  expect(await exhaustedCount()).toBe(before + 1)
  const [delivery] = await deliveriesOf(drilled)
  expect(delivery).toMatchObject({ event: 'denied', state: 'exhausted' })
  expect(new Set(delivery?.attempts.map(({ drill }) => drill))).toEqual(new Set(['duplicate']))
  expect(alertsOf(drilled)).toEqual([])
})

describe('drills', () => {
  it.each([
    [{ fault: 'boredom' }],
    [{ fault: 'slow', seconds: 60 }],
    [{ fault: 'slow', count: 0 }],
    [{ fault: 'slow', event: 'party' }],
    [{ fault: 'slow', share: 2 }],
    [{ fault: 'slow', until: 'tomorrow' }],
    [{}],
  ])('are refused with a reason: %j', async (drill) => {
    const answer = await shop.asMerchant('POST', '/sandbox/drills', drill)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('must be') })
  })
})

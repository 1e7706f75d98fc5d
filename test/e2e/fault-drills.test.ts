// A merchant of the sandbox makes its own webhooks go wrong, in either direction. Contract §8, Fault drills.
import type { DeliveryView, Drills, Inbox } from '@plazo/core'
import { afterEach, describe, expect, it } from 'vitest'
import type { Answer } from '../harness/receiver.ts'
import type { Json } from '../harness/shop.ts'
import { waitUntil } from '../harness/wait-until.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, surnames } from './stages.ts'

const DAY = 86_400

const { server, receiver, shop, stages } = await servedShop({ LOG_LEVEL: 'warn' })

const setDrill = async (drill: object): Promise<Drills> => {
  const answer = await shop.asMerchant('POST', '/sandbox/drills', drill)
  expect(answer.status).toBe(201)
  return (await answer.json()) as Drills
}
const inbox = async (): Promise<Inbox> => (await shop.send('GET', '/sandbox/demo/inbox')).json() as Promise<Inbox>
const deliveriesOf = async (orderRef: string): Promise<readonly DeliveryView[]> =>
  (await shop.asMerchant('GET', `/merchants/demo/deliveries?order_ref=${orderRef}`)).json() as Promise<
    readonly DeliveryView[]
  >
const ipnOf = async (orderRef: string) => (await deliveriesOf(orderRef)).find(({ event }) => event === 'ipn')

/** An order whose outcome is known and whose IPN was sent once. */
const reachEnd = (own: Parameters<typeof stages.settled>[1] = {}) => stages.settled({}, own)

afterEach(() => shop.asMerchant('DELETE', '/sandbox/drills'))

describe('a drill of the shop', () => {
  it('sends the IPN twice', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'twice')
    await setDrill({ fault: 'duplicate', event: 'ipn' })
    const orderRef = await reachEnd({ merchant })
    const received = receiver.received.filter(({ path }) => path === ipn)
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
      [1, 2].map(() => received[0]?.headers['webhook-id']),
    )
    expect(received).toHaveLength(2)
    expect(await ipnOf(orderRef)).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
  })

  it('signs wrongly, which a receiver refuses, and then rightly on schedule', async () => {
    await setDrill({ fault: 'wrong_signature', event: 'ipn' })
    const orderRef = await reachEnd()
    expect(await ipnOf(orderRef)).toMatchObject({ attempts: [{ status: 401, outcome: 'error' }] })
    const [refused] = (await inbox()).requests
    expect(refused).toMatchObject({ signature: 'wrong', order_ref: orderRef, drill: 'wrong_signature' })
    await shop.advance(60)
    const ipn = await ipnOf(orderRef)
    expect(ipn?.state).toBe('delivered')
    expect(ipn?.attempts.map(({ drill }) => drill)).toEqual(['wrong_signature', undefined])
    expect(await shop.order(orderRef)).toMatchObject({ state: { checkout: 'confirmed' } })
  })

  it('asks to cancel an accepted order, and the answer changes nothing', async () => {
    const { events, merchant } = { ...addressesAt(receiver, 'late'), events: '/late/events' }
    await setDrill({ fault: 'late_cancel', event: 'ipn' })
    const orderRef = await reachEnd({ merchant })
    const cancels = receiver.received.filter(({ path, fields }) => path === events && fields.event === 'cancel')
    expect(cancels.map(({ fields }) => fields.order_ref)).toEqual([orderRef])
    expect(await shop.order(orderRef)).toMatchObject({ state: { checkout: 'confirmed', cancellation: 'none' } })
  })
})

describe('a drill that answers in place of the shop', () => {
  it('fails once, and accepts the next attempt', async () => {
    await setDrill({ fault: 'error_then_ok', event: 'ipn' })
    const orderRef = await reachEnd()
    expect(await ipnOf(orderRef)).toMatchObject({ attempts: [{ status: 500 }] })
    await shop.advance(60)
    expect(await ipnOf(orderRef)).toMatchObject({
      state: 'delivered',
      attempts: [
        { status: 500, drill: 'error_then_ok' },
        { status: 200, drill: 'error_then_ok' },
      ],
    })
    expect((await inbox()).requests.slice(0, 2).map(({ status, drill }) => [status, drill])).toEqual([
      [200, 'error_then_ok'],
      [500, 'error_then_ok'],
    ])
    expect(((await (await shop.asMerchant('GET', '/sandbox/drills')).json()) as Drills).drills).toEqual([])
  })

  it('refuses an order as a conflict', async () => {
    await shop.send('POST', '/sandbox/demo/drills', { fault: 'conflict' })
    const orderRef = await reachEnd()
    expect(await shop.order(orderRef)).toMatchObject({ state: { checkout: 'conflicted' } })
  })

  it('touches only its order, and alerts nobody', async () => {
    const { merchant } = addressesAt(receiver, 'quiet')
    receiver.answer('/quiet/events', { status: 200 })
    const other = await reachEnd({ merchant })
    await setDrill({ fault: 'not_json', order_ref: other, count: 5 })
    const orderRef = await stages.settled(surnames('denial event'), { merchant })
    await waitUntil(async () => (await deliveriesOf(orderRef)).every(({ state }) => state === 'delivered'))
    const { drills } = (await (await shop.asMerchant('GET', '/sandbox/drills')).json()) as Drills
    expect(drills).toMatchObject([{ fault: 'not_json', order_ref: other, touched: 0 }])
    expect(server.output()).not.toContain('"alert"')
  })
})

describe('the store', () => {
  /** Everything that is stored about an order, without what differs between any two orders. */
  const storedAbout = async (orderRef: string) => {
    const stored = [await shop.order(orderRef), await shop.history(orderRef), await deliveriesOf(orderRef)]
    return JSON.parse(
      JSON.stringify(stored)
        .replaceAll(orderRef, 'ORDER')
        .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"INSTANT"')
        .replaceAll(/"duration_ms":\d+/g, '"duration_ms":0')
        .replaceAll(/,"drill":"\w+"/g, ''),
    )
  }

  const receivingAt = (name: string, answers: readonly Answer[] = []) => {
    const { ipn, merchant } = addressesAt(receiver, name)
    const left = [...answers]
    receiver.answer(ipn, (request, response) => {
      const answer = left.shift() ?? { status: 200 }
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
    expect(await shop.send('GET', '/sandbox/demo/drills').then((answer) => answer.json())).toEqual({ drills: [] })
  })

  it.each([
    ['error_then_ok', { status: 500, body: 'Internal Server Error' }],
    ['not_json', { status: 200, body: '<!doctype html><title>It works!</title>' }],
    ['conflict', { status: 409 }],
    ['gone', { status: 410 }],
    ['redirect', { status: 302 }],
  ])('holds what a shop would cause that answers like %s', async (fault, answer) => {
    const without = await endOf(receivingAt(`shop-${fault}`, [answer]))
    await setDrill({ fault, event: 'ipn' })
    expect(await endOf(receivingAt(`drill-${fault}`))).toEqual(without)
    expect(receiver.received.filter(({ path }) => path === `/drill-${fault}/ipn`)).toHaveLength(
      fault === 'redirect' ? 1 : 0,
    )
  })
})

it('a drill ends by real time: the sandbox’s clock does not end it', async () => {
  const [drill] = (await setDrill({ fault: 'hang', event: 'cancel' })).drills
  await shop.advance(7 * DAY)
  expect(await (await shop.asMerchant('GET', '/sandbox/drills')).json()).toEqual({ drills: [drill] })
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

  it('require the merchant’s credentials, except the demo merchant’s', async () => {
    expect((await shop.send('GET', '/sandbox/drills')).status).toBe(401)
    expect((await shop.send('POST', '/sandbox/drills', { fault: 'hang' })).status).toBe(401)
    await setDrill({ fault: 'slow', seconds: 2 })
    expect(await (await shop.send('GET', '/sandbox/demo/drills')).json()).toMatchObject({ drills: [{ fault: 'slow' }] })
  })
})

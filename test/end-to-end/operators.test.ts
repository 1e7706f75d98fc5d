// The operators' calls for programs, and their names: operators and the log see who decided, merchants
// read that it was the operator. Contract §2 and §9.
import { describe, expect, it } from 'vitest'
import { basic, type HistoryLineOnWire } from '../harness/shop.ts'
import { servedShopOnFile } from './served-shop.ts'
import { surnames } from './stages.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const ANA = 'a password of ana'
const LUIS = 'luis: a password'
const { server, shop, stages, plazo } = await servedShopOnFile({
  LOG_LEVEL: 'info',
  OPERATORS: `ana:${ANA},luis:${LUIS}`,
})

type As = readonly [username: string, password: string]

const send = (method: string, path: string, [username, password]: As, accept = '*/*') =>
  shop.send(method, path, undefined, { authorization: basic(username, password), accept })

const onHold = () => stages.settled(surnames('review event'))

const details = (lines: readonly HistoryLineOnWire[]) =>
  lines.flatMap(({ event, detail }) => (/^(review|cancell|order\.c)/.test(event) ? [detail] : []))

describe('a call of the operator', () => {
  it.each([BROWSER, ';;q=,,/'])(
    'takes any body, and returns the order or a problem to a client that accepts %s',
    async (accept) => {
      const ref = await onHold()
      const approve = (body: string, authorization = basic('ana', ANA)) =>
        shop.send('POST', `/console/orders/${ref}/approve`, body, { authorization, accept })
      const unknown = await approve('', basic('demo', 'demo'))
      const done = await approve('{"revision":1')
      const refused = await approve('')
      expect([unknown, done, refused].map(({ status }) => status)).toEqual([401, 200, 409])
      expect(await done.json()).toMatchObject({ order_ref: ref, state: { checkout: 'confirming' } })
      for (const { headers } of [unknown, refused])
        expect(headers.get('content-type')).toBe('application/problem+json')
    },
  )

  it('erases a shopper: says what would go, what went, and why not yet', async () => {
    const call = (method: string, ref: string) =>
      send(method, `/console/orders/${ref}/erasure`, ['ana', ANA])
    const fresh = await shop.place()
    expect(await (await call('GET', fresh)).json()).toMatchObject({
      goes: expect.arrayContaining(['payload']),
      unfinished: expect.arrayContaining([expect.stringContaining('has not ended')]),
      before: false,
    })
    expect((await call('POST', fresh)).status).toBe(409)
    const ref = await stages.settled()
    await shop.advance(0)
    for (const before of [false, true])
      expect(await (await call('POST', ref)).json()).toEqual({
        order_ref: ref,
        forgotten: true,
        before,
      })
    expect(await (await call('GET', ref)).json()).toMatchObject({ goes: [], before: true })
    expect((await shop.history(ref)).at(-1)?.detail).toBe('by the operator')
    expect((await plazo.run('orders', 'show', ref)).stdout).toContain(
      'The shopper’s data was erased · by the operator ana',
    )
    expect((await call('GET', crypto.randomUUID())).status).toBe(404)
  })
})

it('a decision is shown with the operator’s name to operators, and without it to merchants', async () => {
  const orderRef = await onHold()
  const page = `/console/orders/${orderRef}`
  expect((await send('POST', `${page}/approve`, ['ana', ANA])).status).toBe(200)
  await shop.advance(0)
  const revision = String((await shop.history(orderRef)).at(-1)?.seq)
  await fetch(`${server.url}${page}/decisions/cancel`, {
    method: 'POST',
    headers: { authorization: basic('luis', LUIS) },
    body: new URLSearchParams({ revision }),
  })
  const sheet = await plazo.json<{ readonly history: readonly HistoryLineOnWire[] }>(
    ...['orders', 'show', orderRef],
  )
  expect(details(sheet.history)).toEqual(['by the operator ana', 'by the operator luis'])
  expect(await (await send('GET', page, ['ana', ANA], 'text/html')).text()).toContain(
    'by the operator luis',
  )
  for (const act of ['"operator":"ana","act":"approve"', '"operator":"luis","act":"cancel"'])
    expect(server.output()).toContain(`"event":"operator_acted",${act},"order_ref":"${orderRef}"`)

  expect(details(await shop.history(orderRef))).toEqual(['by the operator', 'by the operator'])
  for (const path of [
    `/orders/${orderRef}`,
    `/orders/${orderRef}/explanation`,
    `/merchants/demo/deliveries?order_ref=${orderRef}`,
    `/machine/orders/${orderRef}/history`,
    `/sandbox/orders/${orderRef}/timeline`,
  ]) {
    const answer = await send('GET', path, ['demo', 'demo'])
    expect(answer.status, path).toBe(200)
    expect(await answer.text(), path).not.toMatch(/\b(ana|luis)\b/)
  }
})

// Operators with names: the console, the command line and the log say who decided. Merchants read
// that it was the operator. Contract §2 and §9.
import { describe, expect, it } from 'vitest'
import { merchantWords } from '../harness/command-line.ts'
import { basic, type HistoryLineOnWire, shopAt } from '../harness/shop.ts'
import { servedShopOnFile } from './served-shop.ts'
import { surnames } from './stages.ts'

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

describe('a decision by an operator with a name', () => {
  it('is shown with the name to operators, and without it to merchants', async () => {
    const orderRef = await onHold()
    const approved = await send('POST', `/console/orders/${orderRef}/approve`, ['ana', ANA])
    expect(approved.status).toBe(200)
    await shop.advance(0)
    const cancelled = await send('POST', `/console/orders/${orderRef}/cancel`, ['luis', LUIS])
    expect(cancelled.status).toBe(200)
    expect(await approved.text()).not.toContain('ana')

    const sheet = await plazo.json<{ readonly history: readonly HistoryLineOnWire[] }>(
      ...['orders', 'show', orderRef],
    )
    expect(details(sheet.history)).toEqual(['by the operator ana', 'by the operator luis'])
    expect((await plazo.run('orders', 'show', orderRef)).stdout).toContain(
      'The order was approved · by the operator ana',
    )
    const page = await send('GET', `/console/orders/${orderRef}`, ['ana', ANA], 'text/html')
    expect(await page.text()).toContain('by the operator luis')
    expect(server.output()).toMatch(
      new RegExp(
        `"event":"operator_acted","operator":"ana","act":"approve","order_ref":"${orderRef}"`,
      ),
    )

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

  it('by a form of the console is shown with the name on the order’s page', async () => {
    const orderRef = await onHold()
    const page = `${server.url}/console/orders/${orderRef}`
    const headers = { authorization: basic('luis', LUIS), accept: 'text/html' }
    const revision = (await shop.history(orderRef)).at(-1)?.seq ?? 0
    await fetch(`${page}/decisions/reject`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ revision: String(revision) }),
    })
    expect(await (await fetch(page, { headers })).text()).toContain('by the operator luis')
    expect(server.output()).toContain(`"operator":"luis","act":"reject","order_ref":"${orderRef}"`)
    expect(details(await shop.history(orderRef))).toEqual(['by the operator'])
  })
})

it('an erasure names who erased, to operators only', async () => {
  const orderRef = await onHold()
  await shop.decide(orderRef, 'reject')
  await shop.advance(0)
  const erased = await send('POST', `/console/orders/${orderRef}/erasure`, ['ana', ANA])
  expect(await erased.json()).toEqual({ order_ref: orderRef, forgotten: true, before: false })
  expect((await shop.history(orderRef)).at(-1)?.detail).toBe('by the operator')
  expect((await plazo.run('orders', 'show', orderRef)).stdout).toContain(
    'The shopper was erased · by the operator ana',
  )
})

describe('the credentials of operators', () => {
  it.each<readonly [As, number]>([
    [['ana', ANA], 200],
    [['luis', LUIS], 200],
    [['operator', 'operator'], 200],
    [['ana', LUIS], 401],
    [['ana', ''], 401],
    [['operator', ANA], 401],
    [['nobody', ANA], 401],
    [['', ''], 401],
  ])('of %j answer %d on the console and to the pages of any order', async (as, status) => {
    const orderRef = await shop.place()
    for (const path of [
      '/console',
      `/machine/orders/${orderRef}/history`,
      `/orders/${orderRef}/explanation`,
    ])
      expect((await send('GET', path, as)).status, path).toBe(status)
  })

  it('leave a merchant of the same name everything that is the merchant’s', async () => {
    await plazo.run(...merchantWords('ana'))
    const theirs = shopAt(server.url, { username: 'ana', password: 'ana' })
    const orderRef = await theirs.place({ merchant: { id: 'ana' } })
    for (const path of [
      `/orders/${orderRef}`,
      `/orders/${orderRef}/history`,
      `/orders/${orderRef}/explanation`,
      `/machine/orders/${orderRef}/history`,
      '/merchants/ana/deliveries',
    ])
      expect((await theirs.asMerchant('GET', path)).status, path).toBe(200)
    const explained = await theirs.asMerchant('GET', `/orders/${orderRef}/explanation`)
    expect(await explained.text()).not.toContain('"who":"operator"')
    expect((await theirs.asMerchant('GET', '/console')).status).toBe(401)
  })
})

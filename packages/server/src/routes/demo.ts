// The demo merchant's own receivers, so that a checkout finishes with nothing else running. Contract §7.
import { verify } from '@plazo/adapters/http'
import type { Merchants, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Context, Hono } from 'hono'

const KNOWN_EVENTS = new Set(['cancelled', 'denied', 'risk_assessment', 'identification_action'])

export const DEMO_MERCHANT = 'demo'

export const demoRoutes = (merchants: Merchants, names: WireNames) => {
  const isSigned = async (c: Context, body: string): Promise<boolean> => {
    const demo = await merchants.find(DEMO_MERCHANT)()
    const given = c.req.header(names.signatureHeader)
    return (
      E.isRight(demo) && demo.right !== null && given !== undefined && verify(demo.right.signatureSecret, body, given)
    )
  }

  const eventIn = (c: Context, body: string): string =>
    c.req.header('content-type')?.startsWith('application/json') === true
      ? String((JSON.parse(body) as { readonly event?: unknown }).event)
      : (new URLSearchParams(body).get('event') ?? '')

  return new Hono()
    .post('/demo/notify', async (c) => {
      const body = await c.req.text()
      return (await isSigned(c, body)) ? c.body(null, 200) : c.json({ error: 'The signature is wrong.' }, 401)
    })
    .post('/demo/events', async (c) => {
      const body = await c.req.text()
      if (!(await isSigned(c, body))) return c.json({ error: 'The signature is wrong.' }, 401)
      const event = eventIn(c, body)
      if (event === 'cancel') return c.json({ result: 'cancelled' })
      return KNOWN_EVENTS.has(event) ? c.body(null, 200) : c.json({ error: `Unknown event: ${event}` }, 501)
    })
    .get('/demo/return', (c) => c.text('The shop’s own page: the checkout is finished.'))
}

// The demo merchant's own receivers, so that a checkout finishes with nothing else running. Contract §7.
import { verify } from '@plazo/adapters/http'
import type { Merchants, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Context, Hono } from 'hono'
import { KIB, limitBody } from '../request.ts'

const KNOWN_EVENTS = new Set(['cancelled', 'denied', 'risk_assessment', 'identification_action'])

export const DEMO_MERCHANT = 'demo'

// An order's parameters, up to 1 MiB of JSON, are three times as long in a form.
const WEBHOOK_MAX = 4096 * KIB

// What is signed is the bytes as they came. Interface §5. Of a body that breaks off there are none.
const bytesOf = async (c: Context): Promise<Uint8Array> => {
  try {
    return new Uint8Array(await c.req.arrayBuffer())
  } catch {
    return new Uint8Array()
  }
}

export const demoRoutes = (merchants: Merchants, names: WireNames) => {
  const isSigned = async (c: Context, body: Uint8Array): Promise<boolean> => {
    const demo = await merchants.find(DEMO_MERCHANT)()
    const given = c.req.header(names.signatureHeader)
    return (
      E.isRight(demo) && demo.right !== null && given !== undefined && verify(demo.right.signatureSecret, body, given)
    )
  }

  const eventInJson = (body: string): string => {
    try {
      const { event } = (JSON.parse(body) ?? {}) as { readonly event?: unknown }
      return typeof event === 'string' ? event : ''
    } catch {
      return ''
    }
  }

  const eventIn = (c: Context, body: string): string =>
    c.req.header('content-type')?.startsWith('application/json') === true
      ? eventInJson(body)
      : (new URLSearchParams(body).get('event') ?? '')

  return new Hono()
    .post('/demo/notify', limitBody(WEBHOOK_MAX), async (c) => {
      const body = await bytesOf(c)
      return (await isSigned(c, body)) ? c.body(null, 200) : c.json({ error: 'The signature is wrong.' }, 401)
    })
    .post('/demo/events', limitBody(WEBHOOK_MAX), async (c) => {
      const body = await bytesOf(c)
      if (!(await isSigned(c, body))) return c.json({ error: 'The signature is wrong.' }, 401)
      const event = eventIn(c, new TextDecoder().decode(body))
      if (event === 'cancel') return c.json({ result: 'cancelled' })
      return KNOWN_EVENTS.has(event) ? c.body(null, 200) : c.json({ error: `Unknown event: ${event}` }, 501)
    })
    .get('/demo/return', (c) => c.text('The shop’s own page: the checkout is finished.'))
}

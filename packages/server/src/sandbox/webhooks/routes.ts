// A merchant's webhooks as a page. The demo merchant's is open. Sandbox rules, Pages.
import { rootFrom, value } from '@plazo/server/internal'
import { type Context, Hono } from 'hono'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { sendToolPage } from '../layout.ts'
import type { SandboxServices } from '../services.ts'
import { webhooksPage } from './page.ts'
import { readSentWebhooks } from './sent-webhooks.ts'
import { isAnswer } from './shop-answers.ts'

const SHOWN_MAX = 50

export const webhooksPages = ({
  host,
  merchants,
  access,
  setting: { baseUrl },
}: SandboxServices): Hono => {
  const read = readSentWebhooks({ host, merchants })
  const show = async (c: Context, merchantRef: string): Promise<Response> => {
    const webhooks = await read({ merchantRef, orderRef: null, limit: SHOWN_MAX })
    const chosen = c.req.query('answer') ?? ''
    const answer = isAnswer('ipn', chosen) ? chosen : ''
    return sendToolPage(c, {
      current: merchantRef === DEMO_MERCHANT ? 'webhooks' : null,
      title: `Webhooks of ${merchantRef}`,
      body: webhooksPage({ root: rootFrom(c), baseUrl, merchantRef, answer, webhooks }),
      sheet: 'sandbox/webhooks/style.css',
      script: 'live-list',
      hasForms: true,
    })
  }
  return new Hono()
    .get('/sandbox/demo/webhooks', (c) => show(c, DEMO_MERCHANT))
    .get('/sandbox/webhooks', async (c) => {
      // A browser sends no merchant header.
      const { ref } = await value(access.merchant(c, c.req.query('merchant') || null))
      return show(c, ref)
    })
}

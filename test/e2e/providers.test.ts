// The ports answered by somebody else's service: the sample provider of docs/providers.md, behind a front that meddles.
// The sandbox around it moves its own clock. Contract §6, Other effects; §7.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../delivery/until.ts'
import type { Passed } from '../support/front.ts'
import { type RunningServer, startServer } from '../support/running-server.ts'
import { type SampleProvider, startSampleProvider } from '../support/sample-provider.ts'
import { type Action, type Shop, shopAt } from '../support/shop.ts'
import { agreement, checkoutOf } from './stages.ts'

const KEY = Buffer.alloc(32, 7)

let provider: SampleProvider
let server: RunningServer
let shop: Shop

beforeAll(async () => {
  provider = await startSampleProvider({ key: KEY, isSecure: false })
  server = await startServer({ env: { ...provider.settings, SECRET_KEY: KEY.toString('base64') } })
  shop = shopAt(server.url)
})
afterAll(async () => {
  await server.stop()
  await provider.stop()
})
beforeEach(() => provider.front.meddle(() => null))

/** The questions about an order that reached the front. */
const asked = (orderRef: string, ask?: string): readonly Passed[] =>
  provider.front.passed.filter(({ json }) => json.order_ref === orderRef && (ask === undefined || json.ask === ask))

const codeOf = async (orderRef: string): Promise<unknown> => {
  await until(() => asked(orderRef, 'sms.send').length > 0)
  return asked(orderRef, 'sms.send').at(-1)?.json.code
}

const reaches = (orderRef: string, checkout: string): Promise<void> =>
  until(async () => (await checkoutOf(shop, orderRef)) === checkout)

/** Until the outcome waits for the next submission, and then that. */
const revealed = async (total = 12_100, product = 'i1'): Promise<{ readonly ref: string; readonly action: Action }> => {
  const items = [{ total_with_tax: total }]
  const ref = await shop.place({ cart: { currency: 'EUR', order_total_with_tax: total, items } })
  await shop.submit(ref, agreement(product))
  await shop.submit(ref, { ...agreement(product), validation_code: await codeOf(ref) })
  await reaches(ref, 'screened')
  return { ref, action: await shop.submit(ref, agreement(product)) }
}

describe('an order decided by providers', () => {
  it('walks to its end: a code, a screening told later, a payment on the provider’s page, its risk', async () => {
    const { ref, action } = await revealed(12_100, 'fp1')
    expect(action.action).toBe('require_payment')
    const form = await until2(async () => {
      const page = await fetch(String(action.iframe_url), { redirect: 'manual' })
      return page.status === 303 ? page.headers.get('location') : null
    })
    expect(form).toMatch(`${provider.front.url}/pay/`)
    await shop.form(form, { result: 'succeeded' })
    await reaches(ref, 'confirmed')
    await until(async () => (await shop.order(ref)).state.risk === 'low_risk')
  })
})

const until2 = async <A>(find: () => Promise<A | null>): Promise<A> => {
  let found: A | null = null
  await until(async () => {
    found = await find()
    return found !== null
  })
  return found as A
}

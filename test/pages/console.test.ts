// The order's page in a real browser. It must work without scripts and without a mouse.
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { addressesAt, requestsAt, stagesOf, stateOf, surnames } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { HOSTILE, OPERATOR, servedPages, tabTo } from '../harness/served-pages.ts'
import { basic } from '../harness/shop.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop, withPage } = await servedPages({
  httpCredentials: OPERATOR,
  javaScriptEnabled: false,
})

const pageOf = (orderRef: string): string => `${server.url}/console/orders/${orderRef}`

const placeInReview = (): Promise<string> =>
  stagesOf(shop).settled(surnames('review event'), {
    merchant_reference: { order_ref_1: `R-${crypto.randomUUID()}` },
  })

const BROWSER = { authorization: basic('operator', 'operator'), accept: 'text/html' }

const postForm = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${server.url}/console/orders/${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: BROWSER,
    body: new URLSearchParams(fields),
  })

/** The hidden fields of a decision's form. */
const withForm = async (orderRef: string, name: string) => {
  const text = await (await fetch(pageOf(orderRef), { headers: BROWSER })).text()
  const [, revision = ''] =
    new RegExp(`/decisions/${name}">[^]*?name="revision" value="(\\d+)"`).exec(text) ?? []
  return { revision }
}

const open = async (page: Page, name: RegExp): Promise<void> => {
  await page.locator('summary', { hasText: name }).click()
}

const summaries = (page: Page): Promise<readonly string[]> =>
  page.locator('.decisions summary').allTextContents()

describe('the order’s page', () => {
  it('is where cancellation_request_url leads', async () => {
    const { events, merchant } = addressesAt(receiver, 'linked')
    receiver.answer(events, { status: 500 })
    const ref = await stagesOf(shop).settled({}, { merchant })
    await shop.decide(ref, 'request-cancellation')
    await shop.advance(0)
    const url = requestsAt(receiver, events)[0]?.fields.cancellation_request_url ?? ''
    await withPage(url, async (page) => {
      expect(await page.title()).toContain(ref)
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Order ${ref}`)
      expect(await summaries(page)).toEqual(['Cancel the order… c'])
    })
  })

  it('states the consequences of a decision before it is confirmed, by keyboard alone', async () => {
    const ref = await placeInReview()
    await withPage(pageOf(ref), async (page) => {
      await tabTo(page, /^Reject/)
      await page.keyboard.press('Enter')
      const form = page.locator('form[action*="/decisions/reject"]')
      expect(await form.textContent()).toContain('Its state is then: rejected by the operator.')
      expect(await form.textContent()).toContain('No money moves.')
      expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'reviewing' })
      await tabTo(page, /reject it for good/)
      await page.keyboard.press('Enter')
      await page.getByText('review.rejected').waitFor()
      expect(await page.getByRole('status').textContent()).toContain('was rejected')
    })
    expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'cancelled' })
  })

  it('takes each decision by one key and one confirming key', async () => {
    const heldRef = await placeInReview()
    const confirmed = await stagesOf(shop).settled(
      {},
      { merchant: addressesAt(receiver, 'keys').merchant },
    )
    const askedRef = await stagesOf(shop).settled(
      {},
      { merchant: addressesAt(receiver, 'keys').merchant },
    )
    for (const [ref, key, event] of [
      [heldRef, 'a', 'review.approved'],
      [confirmed, 'c', 'order.cancelled'],
      [askedRef, 'm', 'cancellation.requested'],
    ] as const)
      await withPage(
        pageOf(ref),
        async (page) => {
          await page.keyboard.press(key)
          await page.keyboard.press('Enter')
          await page.getByText(event).waitFor()
        },
        { javaScriptEnabled: true },
      )
  })

  it('reports that somebody else has decided meanwhile, and leads back to the order as it is', async () => {
    const ref = await placeInReview()
    await withPage(
      pageOf(ref),
      async (page) => {
        await shop.decide(ref, 'approve')
        await shop.advance(0)
        await open(page, /Approve/)
        await page.getByRole('button', { name: 'approve it' }).click()
        await page.getByRole('heading', { level: 1, name: 'The order has changed' }).waitFor()
        await page.getByRole('link', { name: 'Back', exact: true }).click()
        await page.waitForURL(pageOf(ref))
        expect(await summaries(page)).toEqual([
          'Ask the merchant to cancel… m',
          'Cancel the order… c',
        ])
        await open(page, /Cancel the order/)
        await page.getByRole('button', { name: 'cancel it for good' }).click()
        await page.getByText('order.cancelled').waitFor()
      },
      { allows: /409/ },
    )
  })

  it('refuses a form that is sent a second time', async () => {
    const ref = await placeInReview()
    const { revision } = await withForm(ref, 'reject')
    const send = () => postForm(`${ref}/decisions/reject`, { revision })
    expect((await send()).status).toBe(303)
    const second = await send()
    expect(second.status).toBe(409)
    expect(await second.text()).toContain('The order has changed since this decision was offered')
    const rejected = (await shop.history(ref)).filter(({ event }) => event === 'review.rejected')
    expect(rejected).toHaveLength(1)
  })
})

describe('the erasure of a shopper', () => {
  it('names what goes, and then that nothing is left', async () => {
    const ref = await stagesOf(shop).settled()
    await shop.advance(0)
    await withPage(pageOf(ref), async (page) => {
      await page.getByRole('link', { name: 'Erase the shopper' }).click()
      const text = (await page.locator('main').textContent()) ?? ''
      expect(text).toContain('The shopper’s name, birthday')
      expect(text).toContain('Earlier backups. Only they can restore the data.')
      await page.getByRole('button', { name: 'erase the shopper for good' }).click()
      await page.getByText('Nothing of the shopper is left.').waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
      await page.getByRole('link', { name: 'The order', exact: true }).click()
      expect(new URL(page.url()).pathname).toBe(`/console/orders/${ref}`)
    })
    expect((await shop.history(ref)).at(-1)).toMatchObject({ event: 'shopper.forgotten' })
    expect((await postForm(`${ref}/erase`, {})).status).toBe(303)
  })

  it('is not offered while something is unfinished, and refused if it is requested', async () => {
    const ref = await stagesOf(shop).identified()
    await withPage(`${pageOf(ref)}/erase`, async (page) => {
      expect(await page.getByRole('button').count()).toBe(0)
      await page.getByText('The order’s checkout has not ended: it is verifying_phone.').waitFor()
    })
    const refusal = await postForm(`${ref}/erase`, {})
    expect([refusal.status, await refusal.text()]).toEqual([
      409,
      expect.stringContaining('has not ended: it is verifying_phone.</h1>'),
    ])
    expect((await shop.history(ref)).at(-1)?.event).not.toBe('shopper.forgotten')
  })
})

describe('the deliveries of an order', () => {
  it('show each attempt with its request and its answer, and no token of the URL', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'shown')
    receiver.answer(ipn, { status: 409, body: HOSTILE })
    const secret = { notify_url: `${merchant.notify_url}?token=geheim` }
    const ref = await stagesOf(shop).settled({}, { merchant: { ...merchant, ...secret } })
    const [sent] = requestsAt(receiver, ipn)
    await withPage(pageOf(ref), async (page) => {
      await open(page, /Request and answer/)
      const text = (await page.locator('main').textContent()) ?? ''
      expect(text).toContain('accepted, 409: the shop refuses the order')
      expect(text).toContain(HOSTILE)
      expect(text).toContain(`order_ref=${ref}`)
      for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
        expect(text).toContain(String(sent?.headers[name]))
      expect(text).not.toContain('geheim')
      expect(await page.title()).not.toBe('1')
    })
  })

  it('are resent after a confirmation, unless there was another attempt meanwhile', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'resent')
    receiver.answer(ipn, { status: 503 })
    const ref = await stagesOf(shop).settled({}, { merchant })
    const resend = async (page: Page): Promise<void> => {
      await open(page, /Resend/)
      await page.getByRole('button', { name: 'resend the IPN' }).click()
    }
    await withPage(
      pageOf(ref),
      async (page) => {
        expect(await page.getByText('failed, 503: the shop did not accept it').count()).toBe(1)
        receiver.answer(ipn, { status: 200 })
        const [line] = (await (await fetch(pageOf(ref), { headers: BROWSER })).text()).match(
          /resend\/[^"]+/,
        ) ?? ['']
        expect((await postForm(`${ref}/${line}`, {})).status).toBe(303)
        await shop.advance(0)
        await resend(page)
        expect(await page.getByRole('alert').textContent()).toContain('There was another attempt')
        expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'confirmed' })
        await resend(page)
        await page.getByRole('status').waitFor()
      },
      { allows: /409/ },
    )
  })
})

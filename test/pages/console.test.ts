// The order's page in a real browser. It must work without scripts and without a mouse.
import { afterAll, describe, expect, it } from 'vitest'
import { addressesAt, requestsAt, stagesOf, stateOf, surnames } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { OPERATOR, servedPages, tabTo } from '../harness/served-pages.ts'

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
      expect(await page.getByRole('button').allTextContents()).toEqual(['Cancel the order'])
    })
  })

  it('requires a confirmation for an irreversible decision', async () => {
    const ref = await placeInReview()
    await withPage(pageOf(ref), async (page) => {
      await tabTo(page, /^Reject$/)
      await page.keyboard.press('Enter')
      expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'reviewing' })
      await page.reload()
      await tabTo(page, /reject it for good/)
      await page.keyboard.press('Space')
      await tabTo(page, /^Reject$/)
      await page.keyboard.press('Enter')
      await page.getByText('review.rejected').waitFor()
      expect(page.url()).toBe(pageOf(ref))
    })
    expect(await stateOf(shop, ref)).toMatchObject({ checkout: 'cancelled' })
  })

  it('reports that somebody else has decided meanwhile, and shows the order as it is', async () => {
    const ref = await placeInReview()
    await withPage(
      pageOf(ref),
      async (page) => {
        await shop.decide(ref, 'approve')
        await shop.advance(0)
        await page.getByRole('button', { name: 'Approve' }).click()
        await page.getByRole('alert').waitFor()
        expect(await page.getByRole('alert').textContent()).toContain('Nothing was done.')
        expect(await page.getByRole('button').allTextContents()).toEqual([
          'Ask the merchant',
          'Cancel the order',
        ])
        // The report has a different address, but its links still work.
        const again = (await page.getByRole('link', { name: 'Refresh' }).getAttribute('href')) ?? ''
        expect(new URL(again, page.url()).href).toBe(pageOf(ref))
        await page.getByRole('checkbox', { name: /cancel it for good/ }).check()
        await page.getByRole('button', { name: 'Cancel the order' }).click()
        await page.getByText('order.cancelled').waitFor()
        expect(page.url()).toBe(pageOf(ref))
      },
      { allows: /409/ },
    )
  })
})

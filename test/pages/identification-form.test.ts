// The hosted checkout in a real browser: every path to its end, and served by a shop. Contract §3.
import { afterAll, describe, expect, it } from 'vitest'
import { agreement, checkoutOf, stagesOf, surnames } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { addLamps, servedPages } from '../harness/served-pages.ts'
import { CARD, CHALLENGED_CARD, DECLINED_CARD, shopAt } from '../harness/shop.ts'
import {
  enterCode,
  fill,
  formOf,
  heading,
  identify,
  pay,
  sendDetails,
  waitForShop,
} from './shopper-steps.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop: demo, withPage } = await servedPages()
const lamps = await addLamps(server, { products: 'pp3,i1', country: 'ES' })
const { settled, revealed } = stagesOf(demo)

describe('the hosted form', () => {
  it('is available only to the merchant, for its own order, with a product that it may have', async () => {
    const order = await lamps.place()
    const answer = await lamps.asMerchant('GET', formOf(order, 'i1'))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none';(?!.*unsafe)/,
    )
    expect(await answer.text()).toContain(`<plazo-checkout page order="${order}" product="i1">`)
    expect((await lamps.asMerchant('GET', formOf(order))).status).toBe(200)
    expect((await lamps.send('GET', formOf(order))).status).toBe(401)
    expect((await demo.asMerchant('GET', formOf(order))).status).toBe(404)
    expect((await lamps.asMerchant('GET', formOf(order, 'sp1'))).status).toBe(400)
  })

  it('shows each error at its field, and focuses the first', async () => {
    const order = await demo.place()
    await withPage(formOf(order), async (page) => {
      await fill(page, { surnames: 'Prueba', dob_year: '2024', postal_code: '!' })
      await page.getByRole('checkbox').uncheck()
      await sendDetails(page)
      await page.getByRole('alert').filter({ hasText: 'marked' }).waitFor()
      const wrong = await page.locator('[aria-invalid=true]').all()
      expect(await Promise.all(wrong.map((input) => input.getAttribute('name')))).toEqual([
        'surnames',
        'dob_year',
        'postal_code',
        'service_privacy_policy_accepted',
      ])
      await page.locator('.checkout [name=surnames]:focus').waitFor()
      const surnames = page.getByLabel('Surnames')
      const described = ((await surnames.getAttribute('aria-describedby')) ?? '').split(' ')
      expect(
        await Promise.all(described.map((id) => page.locator(`#${id}`).textContent())),
      ).toEqual([
        'Both surnames',
        'Enter both of your surnames. If you have only one, write it twice.',
      ])
      expect(await page.locator('.wrong:visible').count()).toBe(4)
      await surnames.fill('Prueba Ensayo')
      await page.getByLabel('Year').fill('1980')
      await page.getByLabel('Postal code').fill('28013')
      await page.getByRole('checkbox').check()
      await sendDetails(page)
      await heading(page, 'Enter the code').waitFor()
    })
  })

  it('asks for one surname where that is a whole name, and advises nobody to write it twice', async () => {
    await addLamps(server, { ref: 'rome', name: 'Roma', country: 'IT' })
    const rome = shopAt(server.url, lamps.credentials)
    const order = await rome.place({ merchant: { id: 'rome' }, customer: { language_code: 'es' } })
    await withPage(
      formOf(order),
      async (page) => {
        const surnames = page.getByLabel('Apellidos')
        expect(await page.locator('.surnames .hint').count()).toBe(0)
        await page.getByRole('button').last().click()
        await page.getByText('Escribe tus apellidos.').waitFor()
        expect(await page.content()).not.toContain('dos veces')
        await surnames.fill('Rossi')
        expect(await surnames.getAttribute('aria-invalid')).not.toBe('true')
      },
      { httpCredentials: lamps.credentials },
    )
  })

  it('uses the chosen plan, and pays by card after a declined card', async () => {
    const order = await demo.place()
    await withPage(formOf(order, 'pp3'), async (page) => {
      await page.getByRole('radio', { name: /^12 payments of €12\.58/ }).check()
      await identify(page, {}, demo)
      await heading(page, 'Pay €12.62 by card').waitFor()
      await pay(page, DECLINED_CARD)
      const failed = page.getByRole('alert').filter({ hasText: 'The payment was not made' })
      await failed.waitFor()
      expect(await failed.evaluate((alert) => alert.matches(':focus'))).toBe(true)
      await page.locator('.frame iframe').waitFor()
      await pay(page, CARD)
      await waitForShop(page, 'pp3')
    })
    expect(await checkoutOf(demo, order)).toBe('confirmed')
  })

  it('supports 3-D Secure, and offers a saved card', async () => {
    const shopper = { ...agreement('fp1'), nin: 'KEPT12345', mobile_phone: '600999888' }
    await withPage(formOf((await revealed(shopper)).ref), async (page) => {
      const frame = page.frameLocator('iframe[title="Card form"]')
      await frame.getByLabel('Save this card').check()
      await pay(page, CHALLENGED_CARD)
      await frame.getByRole('button', { name: 'Yes, pay' }).click()
      await waitForShop(page, 'fp1')
    })
    await withPage(formOf((await revealed(shopper)).ref), async (page) => {
      await page
        .getByRole('radio', { name: 'Card ending in 3220' })
        .and(page.locator(':checked'))
        .waitFor()
      const frame = page.frameLocator('iframe[title="Card form"]')
      await frame.getByText('Card ending in 3220').waitFor()
      await frame.getByLabel('CVC').fill('123')
      expect(await frame.getByLabel('Card number').count()).toBe(0)
      await frame.getByRole('button', { name: 'Pay' }).click()
      await waitForShop(page, 'fp1')
    })
  })

  it('opens the ID verification in its own tab, and continues afterwards', async () => {
    await withPage(formOf(await demo.place()), async (page) => {
      await identify(page, { surnames: 'identity event' }, demo)
      for (const verdict of ['Interrupted', 'Verified']) {
        const opened = page.context().waitForEvent('page')
        await page.getByRole('link', { name: 'Verify my identity' }).click()
        const session = await opened
        await session.getByRole('button', { name: verdict, exact: true }).click()
        await session.getByText('Thank you').waitFor()
        await session.close()
        if (verdict === 'Interrupted') await page.getByRole('button', { name: 'Try again' }).click()
      }
      // The result is shown for 3 s.
      await demo.advance(3)
      await waitForShop(page, 'i1')
    })
  })

  it('offers the remaining agreements if one was rejected', async () => {
    await withPage(formOf(await demo.place(), 'fp1'), async (page) => {
      await identify(page, { surnames: 'alternative event' }, demo)
      await heading(page, 'Choose another way to pay').waitFor()
      await page.getByText('€121.00 in one payment').waitFor()
      // The rejected product is not named next to the goods any more.
      expect(await page.getByText('Pay now').count()).toBe(0)
      await page.getByRole('link', { name: 'Back to the shop' }).waitFor()
      await page
        .getByRole('button', { name: 'Order with obligation to pay €121.00 later, €0.00 today' })
        .click()
      await waitForShop(page, 'i1')
    })
  })

  const refuseOrder = (): Promise<string> => {
    receiver.answer('/taken', { status: 409 })
    return settled({}, { merchant: { notify_url: `${receiver.url}/taken` } })
  }
  it.each([
    ['a review', 'Your order is being reviewed', () => settled(surnames('review event'))],
    ['a denial', 'This payment method is not available', () => settled(surnames('denial event'))],
    ['a failure', 'Something went wrong', () => settled(surnames('failure event'))],
    ['a conflict', 'The shop could not accept the order', refuseOrder],
  ])('after %s says: %s, names it in the title, and leads back', async (_, expected, reach) => {
    await withPage(formOf(await reach()), async (page) => {
      await heading(page, expected).waitFor()
      expect(await page.title()).toBe(`${expected} · Demo`)
      expect(
        await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href'),
      ).toContain('/demo/return')
    })
  })

  it('reports next to the button that a submission did not arrive, and repeats it, as one that it makes by itself', async () => {
    await withPage(
      formOf(await demo.place()),
      async (page) => {
        const refuseNext = () =>
          page.route('**/identification', (route) => route.fulfill({ status: 503, body: '' }), {
            times: 1,
          })
        await fill(page)
        await refuseNext()
        await sendDetails(page)
        await page.getByRole('button', { name: 'Sending…' }).waitFor()
        await page.locator('.actions').getByText('The service is busy').waitFor()
        await heading(page, 'Enter the code').waitFor()
        await Promise.all([page.waitForResponse('**/identification'), enterCode(page)])
        await refuseNext()
        await demo.advance(1)
        await waitForShop(page, 'i1')
      },
      { allows: /503/ },
    )
  })

  it('is complete if a shop serves it from another origin', async () => {
    const order = await demo.place()
    const text = await (await demo.asMerchant('GET', formOf(order, 'fp1'))).text()
    receiver.answer('/checkout', {
      status: 200,
      body: text,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
    await withPage(`${receiver.url}/checkout`, async (page) => {
      await identify(page, {}, demo)
      await pay(page, CARD)
      await waitForShop(page, 'fp1')
    })
    expect(await checkoutOf(demo, order)).toBe('confirmed')
  })
})

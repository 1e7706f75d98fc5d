// A shopper's ways through the whole hosted checkout in a real browser, to every end, also where
// something interrupts them, or no script runs. Contract §3 and §4.
import { afterAll, describe, expect, it } from 'vitest'
import { agreement, checkoutOf, stagesOf, surnames } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { holdRequests, servedPages } from '../harness/served-pages.ts'
import { CARD, CHALLENGED_CARD, DECLINED_CARD, PERSON } from '../harness/shop.ts'
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
const { server, shop, withPage } = await servedPages({ reducedMotion: 'reduce' })
const { settled, revealed } = stagesOf(shop)

/**
 * Puts every text into an element of its own, again and again, as a translator does. Prototype 1.6
 * redefined JSON of lists.
 */
const TRANSLATOR = `
  Array.prototype.toJSON = () => 'a list'
  const textsOf = (root) => [...root.childNodes].flatMap((node) =>
    node.nodeType === Node.TEXT_NODE
      ? node.textContent.trim() === '' || /^(FONT|STYLE|SCRIPT)$/.test(root.nodeName) ? [] : [node]
      : [...(node.shadowRoot ? textsOf(node.shadowRoot) : []), ...textsOf(node)])
  setInterval(() => {
    for (const text of textsOf(document.body)) {
      const font = document.createElement('font')
      text.parentNode.replaceChild(font, text)
      font.append(text)
    }
  }, 20)`

const PAY_LATER = 'Order with obligation to pay €121.00 later'

describe('a whole purchase', () => {
  it('works by keyboard alone, in Spanish, with a card and the bank’s question', async () => {
    const order = await shop.place({ customer: { language_code: 'es' } })
    await withPage(formOf(order, 'fp1'), async (page) => {
      const type = async (...texts: readonly string[]): Promise<void> => {
        for (const text of texts) {
          await page.keyboard.press('Tab')
          await page.keyboard.type(text)
        }
      }
      await page.getByRole('button', { name: 'Enviarme un código' }).waitFor()
      const { given_names, surnames: both, ...rest } = PERSON
      // The tick for one surname comes after the surnames.
      const texts = { ...rest, dob_day: '2', service_privacy_policy_accepted: ' ' }
      await type(...([given_names, both, '', ...Object.values(texts)] as string[]))
      await page.keyboard.press('Enter')
      await heading(page, 'Escribe el código').waitFor()
      await page.locator('.checkout #code:focus').waitFor()
      await page.keyboard.type('12345')
      await page.keyboard.press('Enter')
      const frame = page.frameLocator('iframe')
      await frame
        .getByRole('button', { name: 'Confirmo el pedido con obligación de pago' })
        .and(frame.locator(':enabled'))
        .waitFor()
      await type(CHALLENGED_CARD.number, '12 39', CHALLENGED_CARD.cvc)
      await page.keyboard.press('Enter')
      const answer = frame.getByRole('button', { name: 'Sí, pagar' }).and(frame.locator(':enabled'))
      await answer.waitFor()
      const focused = answer.and(frame.locator(':focus'))
      for (let tabs = 0; tabs < 10 && (await focused.count()) === 0; tabs++)
        await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await waitForShop(page, 'fp1')
    })
    expect(await checkoutOf(shop, order)).toBe('confirmed')
  })

  it('uses the chosen plan, and pays by card after a declined card, while a translator replaces the page’s texts', async () => {
    const order = await shop.place()
    await withPage(formOf(order, 'pp3'), async (page) => {
      await page.getByRole('radio', { name: /^12 payments of €12\.58/ }).check()
      await page.evaluate(TRANSLATOR)
      await identify(page, {}, shop)
      await heading(page, 'Pay €12.62 by card').waitFor()
      await pay(page, DECLINED_CARD)
      const failed = page.getByRole('alert').filter({ hasText: 'The payment did not go through' })
      await failed.waitFor()
      expect(await failed.evaluate((alert) => alert.matches(':focus'))).toBe(true)
      await page.locator('.frame iframe').waitFor()
      await pay(page, CARD)
      await waitForShop(page, 'pp3')
    })
    expect(await checkoutOf(shop, order)).toBe('confirmed')
  })

  it('offers a card that was saved, and asks only for its CVC', async () => {
    const shopper = { ...agreement('fp1'), nin: 'KEPT12345', mobile_phone: '600999888' }
    await withPage(formOf((await revealed(shopper)).ref), async (page) => {
      await page.frameLocator('iframe').getByLabel('Save this card').check()
      await pay(page, CARD)
      await waitForShop(page, 'fp1')
    })
    await withPage(formOf((await revealed(shopper)).ref), async (page) => {
      const card = { name: 'Card ending in 1111' }
      await page.getByRole('radio', card).and(page.locator(':checked')).waitFor()
      const frame = page.frameLocator('iframe')
      await frame.getByLabel('CVC').fill('123')
      expect(await frame.getByLabel('Card number').count()).toBe(0)
      await frame.getByRole('button', { name: 'Pay' }).click()
      await waitForShop(page, 'fp1')
    })
  })

  it('opens the ID verification in its own tab, and continues afterwards', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await identify(page, surnames('identity event'), shop)
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
      await shop.advance(3)
      await waitForShop(page, 'i1')
    })
  })

  it('offers the remaining agreements if one was rejected', async () => {
    await withPage(formOf(await shop.place(), 'fp1'), async (page) => {
      await identify(page, surnames('alternative event'), shop)
      await heading(page, 'Choose another way to pay').waitFor()
      await page.getByText('€121.00 in one payment').waitFor()
      await page.getByText('you may withdraw from the credit').waitFor()
      // The rejected product is not named next to the goods any more.
      expect(await page.getByText('Pay now').count()).toBe(0)
      await page.getByRole('button', { name: PAY_LATER }).click()
      await waitForShop(page, 'i1')
    })
  })

  const refuseOrder = (): Promise<string> => {
    receiver.answer('/taken', { status: 409 })
    return settled({}, { merchant: { notify_url: `${receiver.url}/taken` } })
  }
  it.each([
    ['a review', 'Your order is being reviewed', () => settled(surnames('review event'))],
    [
      'a denial',
      'We cannot offer you this payment method',
      () => settled(surnames('denial event')),
    ],
    ['a failure', 'Something went wrong', () => settled(surnames('failure event'))],
    ['a conflict', 'The shop could not accept the order', refuseOrder],
  ])('after %s says: %s, names it in the title, and leads back', async (_, expected, reach) => {
    await withPage(formOf(await reach()), async (page) => {
      await heading(page, expected).waitFor()
      expect(await page.title()).toBe(`${expected} · Demo`)
      const back = page.getByRole('link', { name: 'Back to the shop' })
      expect(await back.getAttribute('href')).toContain('/demo/return')
    })
  })

  it('is complete if a shop serves it from another origin', async () => {
    const order = await shop.place()
    const body = await (await shop.asMerchant('GET', formOf(order, 'fp1'))).text()
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    receiver.answer('/checkout', { status: 200, body, headers })
    await withPage(`${receiver.url}/checkout`, async (page) => {
      await identify(page, {}, shop)
      await pay(page, CARD)
      await waitForShop(page, 'fp1')
    })
    expect(await checkoutOf(shop, order)).toBe('confirmed')
  })
})

describe('an interruption', () => {
  it('by a reload at the code asks for the details with a reason, and goes on with another code', async () => {
    await withPage(formOf(await shop.place()), async (page) => {
      await fill(page)
      await sendDetails(page)
      await heading(page, 'Enter the code').waitFor()
      await page.reload()
      await page.getByText('The page was reloaded').waitFor()
      await identify(page)
      await waitForShop(page, 'i1')
    })
  })

  it('by a second tab on the same order leads both to the shop', async () => {
    const { ref } = await revealed(agreement('fp1'))
    await withPage(formOf(ref, 'fp1'), async (first) => {
      const second = await first.context().newPage()
      await second.goto(first.url())
      for (const page of [first, second]) await page.locator('iframe').waitFor()
      await pay(first, CARD)
      await waitForShop(first, 'fp1')
      // As when the shopper comes back to the tab.
      await second.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      await waitForShop(second, 'fp1')
    })
  })

  it('by the back button loses nothing, and afterwards the shop’s page does not lead into the checkout again', async () => {
    const { ref } = await revealed(agreement('fp1'))
    await withPage('/privacy', async (page) => {
      await page.goto(`${server.url}${formOf(ref, 'fp1')}`)
      await page.locator('iframe').waitFor()
      await page.goBack()
      await page.goForward()
      await pay(page, CARD)
      await waitForShop(page, 'fp1')
      await page.goBack()
      expect(page.url()).toBe(`${server.url}/privacy`)
    })
  })

  it('by a slow line is reported next to the button, until the answer comes', async () => {
    await withPage('/privacy', async (page) => {
      await page.clock.install()
      await page.goto(`${server.url}${formOf(await shop.place())}`)
      await fill(page)
      const release = await holdRequests(page, '**/identification')
      await sendDetails(page)
      const button = page.getByRole('button', { name: 'Sending…' })
      await button.waitFor()
      await page.clock.runFor(3_100)
      await page.locator('.actions').getByText('This is taking a while').waitFor()
      expect(await button.getAttribute('aria-busy')).toBe('true')
      release()
      await heading(page, 'Enter the code').waitFor()
      expect(await page.getByText('This is taking a while').count()).toBe(0)
    })
  })

  it('by a busy service or a lost connection is reported next to the button, and the checkout goes on by itself', async () => {
    await withPage(
      formOf(await shop.place()),
      async (page) => {
        const refuse = (url: string) =>
          page.route(url, (route) => route.fulfill({ status: 503 }), { times: 1 })
        await refuse('**/summary*')
        await page.reload()
        await fill(page)
        await refuse('**/identification')
        await sendDetails(page)
        await page.locator('.actions').getByText('The service is busy').waitFor()
        await heading(page, 'Enter the code').waitFor()
        await page.context().setOffline(true)
        await enterCode(page)
        await page
          .locator('.actions')
          .getByText('You are offline, or the connection is weak')
          .waitFor()
        await page.context().setOffline(false)
        await waitForShop(page, 'i1')
      },
      { allows: /503|ERR_INTERNET_DISCONNECTED/ },
    )
  })
})

describe('without JavaScript', () => {
  const WITHOUT = { javaScriptEnabled: false }

  it('the ID session ends as its button says, and thanks the shopper in their language', async () => {
    const { ref, action } = await revealed(surnames('identity event'), {
      customer: { language_code: 'es' },
    })
    await withPage(
      String(action.session_url),
      async (page) => {
        await page.getByRole('button', { name: 'Verificada', exact: true }).click()
        await page.getByRole('heading', { name: 'Gracias' }).waitFor()
        await page.getByText('vuelve a tu pedido').waitFor()
      },
      WITHOUT,
    )
    expect((await shop.wait(ref)).status).toBe('VERIFIED')
  })

  it.each([
    ['the checkout', async () => formOf(await shop.place(), 'i1')],
    ['the front page', async () => '/'],
  ])('%s says that it needs it, and how to go on', async (_, urlOf) => {
    await withPage(
      await urlOf(),
      async (page) => {
        const text = page.locator('noscript p').first()
        expect(await text.textContent()).toMatch(/^This page needs JavaScript/)
        expect(await text.isVisible()).toBe(true)
      },
      WITHOUT,
    )
  })
})

// Run in the page.
const LOOK = `(button) => {
  const { color, backgroundColor, borderColor } = getComputedStyle(button)
  return [color, backgroundColor, borderColor, JSON.stringify(button.getBoundingClientRect())]
}`

it.each([
  [
    'a card form cannot be sent',
    async (formUrl: unknown) => formUrl,
    'Order with obligation to pay €121.00 today',
  ],
  [
    'the bank’s question cannot be answered',
    async (formUrl: unknown) => (await shop.pay(formUrl, CHALLENGED_CARD)).src,
    'Yes, pay',
  ],
])('before its script has loaded, %s, and looks no different', async (_, urlOf, name) => {
  const url = String(await urlOf((await revealed(agreement('fp1'))).action.iframe_url))
  await withPage('about:blank', async (page) => {
    const release = await holdRequests(page, '**/assets/*.js')
    await page.goto(url, { waitUntil: 'commit' })
    const button = page.getByRole('button', { name, exact: true })
    expect(await button.isDisabled()).toBe(true)
    const before = await button.evaluate(LOOK)
    release()
    await expect.poll(() => button.isEnabled()).toBe(true)
    expect(await button.evaluate(LOOK)).toEqual(before)
  })
})

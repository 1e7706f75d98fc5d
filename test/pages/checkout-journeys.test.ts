// A shopper's way through the whole hosted checkout in a real browser, also where something
// interrupts them. Contract §3.
import { describe, expect, it, onTestFinished } from 'vitest'
import { agreement, checkoutOf, stagesOf } from '../end-to-end/stages.ts'
import { freePort, temporaryPath } from '../harness/ports-and-folders.ts'
import { startServer } from '../harness/running-server.ts'
import { holdRequests, servedPages } from '../harness/served-pages.ts'
import { CARD, CHALLENGED_CARD, PERSON, shopAt } from '../harness/shop.ts'
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

const { server, shop, withPage } = await servedPages({ reducedMotion: 'reduce' })

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

describe('a whole purchase', () => {
  it('goes on while a translator replaces the page’s texts, and where an old library redefined JSON of lists', async () => {
    const order = await shop.place()
    await withPage(formOf(order, 'fp1'), async (page) => {
      await page.evaluate(TRANSLATOR)
      await identify(page)
      await heading(page, 'Pay ').waitFor()
      await pay(page, CARD)
      await waitForShop(page, 'fp1')
    })
    expect(await checkoutOf(shop, order)).toBe('confirmed')
  })

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
      await type(
        ...(Object.values({
          ...PERSON,
          dob_day: '2',
          service_privacy_policy_accepted: ' ',
        }) as string[]),
      )
      await page.keyboard.press('Enter')
      await heading(page, 'Escribe el código').waitFor()
      await page.locator('.checkout #code:focus').waitFor()
      await page.keyboard.type('12345')
      await page.keyboard.press('Enter')
      const frame = page.frameLocator('iframe')
      await frame
        .getByRole('button', { name: 'Pedido con obligación de pago' })
        .and(frame.locator(':enabled'))
        .waitFor()
      // The documents of the lender come before the card.
      await type('', '', CHALLENGED_CARD.number, '12 39', CHALLENGED_CARD.cvc)
      await page.keyboard.press('Enter')
      const answer = frame.getByRole('button', { name: 'Sí, pagar' }).and(frame.locator(':enabled'))
      await answer.waitFor()
      for (
        let tabs = 0;
        tabs < 10 && (await answer.and(frame.locator(':focus')).count()) === 0;
        tabs++
      )
        await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await waitForShop(page, 'fp1')
    })
    expect(await checkoutOf(shop, order)).toBe('confirmed')
  })
})

describe('a reload', () => {
  it('at the code asks for the details with a reason, and goes on with another code', async () => {
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
})

describe('an interruption', () => {
  it('by a second tab on the same order leads both to the shop', async () => {
    const { ref } = await stagesOf(shop).revealed(agreement('fp1'))
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
    expect(
      (await shop.history(ref)).filter(({ event }) => event === 'payment.succeeded'),
    ).toHaveLength(1)
  })

  it('by the back button loses nothing, and afterwards the shop’s page does not lead into the checkout again', async () => {
    const { ref } = await stagesOf(shop).revealed(agreement('fp1'))
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

  it('by a restart of the server is reported, and the checkout goes on by itself', async () => {
    const database = temporaryPath('plazo.db')
    const env = { DATABASE_URL: `sqlite:${database.path}`, PORT: String(await freePort()) }
    let restarted = await startServer({ env })
    onTestFinished(() => restarted.kill().then(database.remove))
    const url = `${restarted.url}${formOf(await shopAt(restarted.url).place())}`
    await withPage(
      url,
      async (page) => {
        await fill(page)
        await sendDetails(page)
        await heading(page, 'Enter the code').waitFor()
        await restarted.stop()
        await enterCode(page)
        await page
          .locator('.actions')
          .getByText('You are offline, or the connection is weak')
          .waitFor()
        restarted = await startServer({ env })
        await waitForShop(page, 'i1')
      },
      { allows: /ERR_CONNECTION|ERR_EMPTY/ },
    )
  })
})

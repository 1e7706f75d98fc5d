// The pages of docs/hosted-form.md in a real browser, served by a shop of another origin: the card
// form that our script mounts, the driver, and the custom element. Contract §11.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { agreement, checkoutOf, stagesOf } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { servedPages } from '../harness/served-pages.ts'
import { CARD, CHALLENGED_CARD, type Json, PERSON } from '../harness/shop.ts'
import { enterCode, fill as fillDetails } from './shopper-steps.ts'

const merchant = await startReceiver()
afterAll(() => merchant.close())
const { server, shop, withPage: open } = await servedPages()

const GUIDE = readFileSync(
  fileURLToPath(new URL('../../docs/hosted-form.md', import.meta.url)),
  'utf8',
)
const blockOf = (name: string): string =>
  (new RegExp(`\`\`\`${name}\\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1] ?? '').replaceAll(
    'http://localhost:3000',
    server.url,
  )

/** `bodyOf`: gets the value of the query's `iframe`, as a literal of a script. */
const servePage = (
  path: string,
  bodyOf: (iframeUrl: string) => string,
  headers: Readonly<Record<string, string>> = {},
): void =>
  merchant.answer(path, ({ target }) => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body: `<!doctype html><html lang="en"><title>Shop</title>
<meta name="viewport" content="width=device-width">
${bodyOf(JSON.stringify(new URL(target, merchant.url).searchParams.get('iframe')))}</html>`,
  }))

// A shop's page with its own button. It records every callback in order.
servePage(
  '/',
  (iframeUrl) => `
<main><h1>Checkout</h1><div id="card"></div><button id="pay">Place the order</button></main>
<script src="${server.url}/sdk/card-form.js"></script>
<script>
  called = []
  const names = ['formLoaded', 'invalidForm', 'cardDataFulfilled', 'paymentSubmitted', 'paymentSuccessful', 'paymentFailed', 'authentication', 'resized']
  const callbacks = Object.fromEntries(names.map((name) => [name, (rest) => called.push([name, rest])]))
  const form = Service.cardForm(document.getElementById('card'), ${iframeUrl}, callbacks)
  document.getElementById('pay').addEventListener('click', () => form.submit())
</script>`,
)

// The page of the guide, for a shop that only counts its polls.
servePage(
  '/guide',
  (iframeUrl) => `${blockOf('html card')}
<script>
  called = []
  poll = () => called.push(['polled', {}])
  showCardForm(${iframeUrl})
</script>`,
)

// A frame that gives the form no origin.
servePage(
  '/locked',
  (iframeUrl) => `
<script>called = []; addEventListener('message', ({ data }) => called.push(JSON.parse(data)))</script>
<iframe title="Card" sandbox="allow-scripts allow-forms" src=${iframeUrl} height="400"></iframe>`,
)

const spanish = { customer: { language_code: 'es_ES' } }

const placeDue = async (order: Json = {}) => {
  const { ref, action } = await stagesOf(shop).revealed(agreement('fp1'), order)
  return { ref, url: String(action.iframe_url) }
}

type Callbacks = readonly (readonly [name: string, rest: Json])[]

type FormPage = {
  readonly page: Page
  readonly frame: FrameLocator
  /** All callbacks so far, without the size changes. */
  readonly called: () => Promise<Callbacks>
  readonly until: (name: string) => Promise<void>
}

/** `path`: of the shop's page; `/guide` is the page of the guide. */
const withPage = (
  url: string,
  use: (form: FormPage) => Promise<void>,
  { path = '/', ...options }: { readonly path?: string } & Parameters<typeof open>[2] = {},
): Promise<void> =>
  open(
    `${merchant.url}${path}?iframe=${encodeURIComponent(url)}`,
    async (page) => {
      expect(new URL(page.url()).origin).not.toBe(new URL(url).origin)
      const all = (): Promise<Callbacks> => page.evaluate('called')
      await use({
        page,
        frame: page.frameLocator('iframe'),
        called: async () => (await all()).filter(([name]) => name !== 'resized'),
        until: async (name) => {
          await page.waitForFunction(`called.some(([each]) => each === ${JSON.stringify(name)})`)
        },
      })
    },
    options,
  )

const fill = async (frame: FrameLocator, { number, expiry, cvc }: typeof CARD): Promise<void> => {
  await frame.getByLabel('Card number').fill(number)
  await frame.getByLabel('Expiry').fill(expiry)
  await frame.getByLabel('CVC').fill(cvc)
}

/** Also in the frame, which is of another origin. */
const violationsOf = async (page: Page) => (await new AxeBuilder({ page }).analyze()).violations

const namesOf = (called: Callbacks): readonly string[] => called.map(([name]) => name)

it('the guide’s page of a card mounts the form, submits the card, and polls once its frame is gone', async () => {
  const { ref, url } = await placeDue()
  await withPage(
    url,
    async ({ page, frame, until }) => {
      await fill(frame, CARD)
      await page.getByRole('button', { name: 'Pay' }).first().click()
      await until('polled')
      expect(await page.locator('iframe').count()).toBe(0)
    },
    { path: '/guide' },
  )
  expect(await checkoutOf(shop, ref)).not.toBe('paying')
})

describe('the card form in a shop’s page', () => {
  it('is loaded, completed and paid, with a callback each time, and resizes with its contents', async () => {
    const { ref, url } = await placeDue()
    await withPage(url, async ({ page, frame, called, until }) => {
      const frameHeight = async () => (await page.locator('iframe').boundingBox())?.height
      const height = async () => Math.ceil((await frame.locator('body').boundingBox())?.height ?? 0)
      await until('formLoaded')
      expect(await called()).toEqual([['formLoaded', {}]])
      await until('resized')
      const whole = await height()
      expect(await frameHeight()).toBe(whole)
      await fill(frame, CARD)
      await until('cardDataFulfilled')
      expect(namesOf(await called())).toEqual(['formLoaded', 'cardDataFulfilled'])
      await frame.getByRole('button', { name: 'Pay' }).click()
      await until('paymentSuccessful')
      expect(await called()).toEqual([
        ['formLoaded', {}],
        ['cardDataFulfilled', {}],
        ['paymentSubmitted', {}],
        ['paymentSuccessful', {}],
      ])
      expect(await frame.getByRole('status').textContent()).toBe('Paid.')
      await expect.poll(frameHeight).toBeLessThan(whole)
      expect(await frameHeight()).toBe(await height())
      expect(await page.locator('iframe').getAttribute('title')).toBe('Card payment')
      expect(await violationsOf(page)).toEqual([])
    })
    await shop.advance(0)
    expect(await checkoutOf(shop, ref)).toBe('confirmed')
  })

  it('can also be submitted by the shop’s page, and by nobody else', async () => {
    const { ref, url } = await placeDue()
    await withPage(url, async ({ page, frame, called, until }) => {
      await until('formLoaded')
      await fill(frame, CARD)
      const inside = page.frames().find((each) => each.url() === url)
      await inside?.evaluate(`postMessage('{"action":"Service.iframe_submit"}', '*')`)
      await page.getByRole('button', { name: 'Place the order' }).click()
      await until('paymentSuccessful')
      expect(namesOf(await called()).filter((name) => name === 'paymentSubmitted')).toHaveLength(1)
    })
    expect(await checkoutOf(shop, ref)).not.toBe('paying')
  })

  it('reports incomplete fields for its own button and for the page’s, and attempts no payment', async () => {
    const { ref, url } = await placeDue()
    await withPage(url, async ({ page, frame, called, until }) => {
      await until('formLoaded')
      await frame.getByRole('button', { name: 'Pay' }).click()
      await until('invalidForm')
      await fill(frame, { ...CARD, expiry: '13/40' })
      await page.getByRole('button', { name: 'Place the order' }).click()
      await page.waitForFunction(`called.filter(([name]) => name === 'invalidForm').length === 2`)
      expect(await frame.getByLabel('Expiry').getAttribute('aria-invalid')).toBe('true')
      expect(await frame.getByRole('status').textContent()).toBe('Please check the card details.')
      // Well formed but not a valid card: only the service can tell.
      await fill(frame, { ...CARD, number: '4111111111111112' })
      await frame.getByRole('button', { name: 'Pay' }).click()
      await page.waitForFunction(`called.filter(([name]) => name === 'invalidForm').length === 3`)
      expect(
        namesOf(await called()).filter((name) => /payment(Failed|Successful)/.test(name)),
      ).toEqual([])
    })
    expect((await shop.wait(ref)).iframe_url).toBe(url)
  })

  it('groups the digits, names the brand, and marks a mistake in its field while it is made', async () => {
    const { url } = await placeDue()
    await withPage(url, async ({ page, frame, until }) => {
      await until('formLoaded')
      await frame.getByRole('heading', { level: 1, name: 'Pay by card' }).waitFor()
      const number = frame.getByLabel('Card number')
      for (const [typed, shown, brand] of [
        ['4111111111111112', '4111 1111 1111 1112', 'Visa'],
        ['378282246310005', '3782 822463 10005', 'American Express'],
        ['2223 0031-2200 3222', '2223 0031 2200 3222', 'Mastercard'],
        ['41１１', '4111', 'Visa'],
        ['4111x', '4111x', 'Visa'],
        ['', '', ''],
      ] as const) {
        await number.fill('')
        await number.pressSequentially(typed)
        expect(await number.inputValue()).toBe(shown)
        expect(await frame.locator('#brand').textContent()).toBe(brand)
      }
      await number.pressSequentially('4111')
      await number.press('Home')
      await number.pressSequentially('55')
      expect(await number.inputValue()).toBe('5541 11')
      expect(await number.evaluate((input) => Reflect.get(input, 'selectionStart'))).toBe(2)
      for (const [label, typed, message] of [
        ['Card number', '4111111111111112', 'One of its digits is wrong.'],
        ['Expiry', '12/21', 'This card has expired.'],
        ['Expiry', '1339', 'Enter month and year'],
        ['CVC', '12345', 'Enter three or four digits.'],
      ] as const) {
        const field = frame.getByLabel(label)
        await field.fill('')
        await field.pressSequentially(typed.slice(0, -1))
        await field.press('End')
        await field.pressSequentially(typed.slice(-1))
        expect(await field.getAttribute('aria-invalid')).toBe('true')
        await frame.getByText(message).waitFor()
      }
      await fill(frame, CARD)
      expect(await frame.locator('[aria-invalid=true]').count()).toBe(0)
      await number.fill('4111')
      await frame.getByLabel('CVC').focus()
      await frame.getByText('Enter the 13 to 19 digits').waitFor()
      expect(await violationsOf(page)).toEqual([])
    })
    // The heading of the page around a frame must not hide that the frame has none.
    await open(url, async (page) => {
      await page.getByLabel('Card number').waitFor()
      expect(await violationsOf(page)).toEqual([])
    })
  })

  it('reports that the payment could not be made if the service is unreachable', async () => {
    const { url } = await placeDue()
    await withPage(
      url,
      async ({ page, frame, called, until }) => {
        await until('formLoaded')
        await fill(frame, CARD)
        await page.route(url, (route) => route.abort())
        await frame.getByRole('button', { name: 'Pay' }).click()
        await until('paymentFailed')
        expect((await called()).at(-1)).toEqual([
          'paymentFailed',
          { error: 'The payment could not be made.' },
        ])
      },
      { allows: /ERR_FAILED/ },
    )
  })

  it.each([
    ['Yes, pay', 'paymentSuccessful', {}, 'Paid.', 'confirmed'],
    [
      'No',
      'paymentFailed',
      { error: 'The card was declined.' },
      'The card was declined.',
      'paying',
    ],
  ] as const)(
    'shows the bank’s question, which is answered “%s”: %s',
    async (answer, name, rest, text, checkout) => {
      const { ref, url } = await placeDue()
      await withPage(url, async ({ frame, called, until }) => {
        await until('formLoaded')
        await fill(frame, CHALLENGED_CARD)
        await frame.getByRole('button', { name: 'Pay' }).click()
        await until('authentication')
        const [, message] = (await called()).at(-1) ?? []
        await frame.getByRole('button', { name: answer, exact: true }).click()
        await until(name)
        expect(String(message?.src)).toMatch(new RegExp(`^${url}/3ds/`))
        expect((await called()).at(-1)).toEqual([name, rest])
        expect(await frame.getByRole('status').textContent()).toBe(text)
      })
      await shop.advance(0)
      expect(await checkoutOf(shop, ref)).toBe(checkout)
    },
  )

  it.each([
    [
      'without a payment',
      async () => `${server.url}/sandbox/pay/${await shop.place(spanish)}/nowhere`,
      'Este formulario de pago ya no es válido.',
    ],
    [
      'of a question that its payment does not have',
      async () => `${(await placeDue(spanish)).url}/3ds/x`,
      'La pregunta de tu banco ha terminado.',
    ],
  ] as const)('leads on from an address %s, in the shopper’s language', async (_, urlOf, title) => {
    const url = await urlOf()
    await withPage(
      url,
      async ({ page, frame, called, until }) => {
        await frame.getByRole('heading', { name: title }).waitFor()
        expect(await frame.locator('html').getAttribute('lang')).toBe('es')
        const toShop = frame.getByRole('link', { name: 'Volver a la tienda' })
        expect(await toShop.getAttribute('href')).toContain('/demo/return?product=')
        expect(await violationsOf(page)).toEqual([])
        await frame.getByRole('button', { name: 'Continuar' }).click()
        await until('paymentFailed')
        expect(await called()).toEqual([
          ['paymentFailed', { error: 'The payment form is not available.' }],
        ])
      },
      { allows: /404/ },
    )
    const json = await shop.send('GET', url)
    expect([json.status, json.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json',
    ])
  })
})

it('a card form in a frame without an origin says in the shopper’s language that nobody can pay there', async () => {
  const { url } = await placeDue(spanish)
  await withPage(
    url,
    async ({ page, frame }) => {
      await frame.getByText('la tienda muestra este formulario en un marco bloqueado.').waitFor()
      expect(await frame.locator('form').isVisible()).toBe(false)
      const messages = (await page.evaluate('called')) as readonly Json[]
      expect(messages.filter(({ action }) => action === 'Service.payment_failed')).toEqual([
        { action: 'Service.payment_failed', error: expect.stringContaining('allow-same-origin') },
      ])
    },
    { path: '/locked' },
  )
})

it('the custom element shows a checkout under the policy that its guide prints, and reports its events', async () => {
  const element = blockOf('html element').replace('<uuid>', await shop.place())
  const policy = blockOf('text policy').trim().replaceAll('BASE_URL', server.url)
  servePage('/element', () => element, { 'content-security-policy': policy })
  await open(`${merchant.url}/element`, async (page) => {
    await page.evaluate(`
      window.called = []
      addEventListener('plazo-action', ({ detail }) => called.push(detail.action))
      addEventListener('plazo-finish', (event) => { event.preventDefault(); called.push(event.detail.return_url) })`)
    await fillDetails(page)
    await page.locator('form button').first().click()
    await enterCode(page)
    await page.getByRole('heading', { level: 2, name: 'Your order is confirmed' }).waitFor()
    const called = (await page.evaluate('called')) as readonly string[]
    expect(called).toEqual(
      expect.arrayContaining(['require_validate_otp', 'wait_for_screening', 'finish']),
    )
    expect(called.at(-1)).toContain('/demo/return')
    expect(page.url()).toBe(`${merchant.url}/element`)
  })
})

it('the driver of the guide calls back once per action, up to the end', async () => {
  const driver = blockOf('html driver').replace('<uuid>', await shop.place())
  const show = '<script>called = []; show = ({ action }) => called.push(action)</script>'
  servePage('/driver', () => show + driver)
  await open(`${merchant.url}/driver`, async (page) => {
    await page.waitForFunction('called.length === 1')
    await page.evaluate(`checkout.submit(${JSON.stringify(PERSON)})`)
    await page.evaluate(`checkout.submitCode('12345')`)
    await page.waitForFunction(`called.at(-1) === 'finish'`)
    const called = (await page.evaluate('called')) as readonly string[]
    expect(called.slice(0, 3)).toEqual([
      'show_identification_form',
      'require_validate_otp',
      'wait_for_screening',
    ])
    expect(new Set(called).size).toBe(called.length)
  })
})

// The card form in a real browser, mounted by our script in a shop's page of another origin.
// Contract §11.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import type { FrameLocator, Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { agreement, checkoutOf, stagesOf } from '../end-to-end/stages.ts'
import { type Answer, startReceiver } from '../harness/receiver.ts'
import { servedPages } from '../harness/served-pages.ts'
import { type Action, CARD, CHALLENGED_CARD, DECLINED_CARD, type Json } from '../harness/shop.ts'

const GUIDE = fileURLToPath(new URL('../../docs/hosted-form.md', import.meta.url))

const merchant = await startReceiver()
afterAll(() => merchant.close())
const { server, shop, withPage: open } = await servedPages()

/** A shop's page with its own button. It records every callback in order. */
const shopPage = (iframeUrl: string): string => `<!doctype html><html lang="en"><title>Shop</title>
<meta name="viewport" content="width=device-width">
<main><h1>Checkout</h1><div id="card"></div><button id="pay">Place the order</button></main>
<script src="${server.url}/sdk/card-form.js"></script>
<script>
  window.called = []
  const names = ['formLoaded', 'invalidForm', 'cardDataFulfilled', 'paymentSubmitted', 'paymentSuccessful', 'paymentFailed', 'authentication', 'resized']
  const callbacks = Object.fromEntries(names.map((name) => [name, (rest) => called.push([name, rest])]))
  const form = Service.cardForm(document.getElementById('card'), ${JSON.stringify(iframeUrl)}, callbacks)
  document.getElementById('pay').addEventListener('click', () => form.submit())
</script></html>`

const [, guide = ''] = /```html card\n([\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? []

/** The page of the guide, for a shop that only counts its polls. */
const guidePage = (iframeUrl: string): string => `<!doctype html><html lang="en"><title>Shop</title>
${guide.replace('http://localhost:3000', server.url)}
<script>
  window.called = []
  window.poll = () => called.push(['polled', {}])
  showCardForm(${JSON.stringify(iframeUrl)})
</script></html>`

const pageWith =
  (pageOf: (iframeUrl: string) => string): Answer =>
  ({ target }) => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=UTF-8' },
    body: pageOf(new URL(target, merchant.url).searchParams.get('iframe') ?? ''),
  })
merchant.answer('/', pageWith(shopPage))
merchant.answer('/guide', pageWith(guidePage))

/** A frame that gives the form no origin. */
const lockedPage = (
  iframeUrl: string,
): string => `<!doctype html><html lang="en"><title>Shop</title>
<script>
  window.called = []
  addEventListener('message', ({ data }) => called.push(JSON.parse(data)))
</script>
<iframe id="card" title="Card" sandbox="allow-scripts allow-forms" src="${iframeUrl}" height="400"></iframe></html>`
merchant.answer('/locked', pageWith(lockedPage))

type Due = { readonly ref: string; readonly url: string; readonly action: Action }

const placeDue = async (extra: Json = {}, order: Json = {}): Promise<Due> => {
  const { ref, action } = await stagesOf(shop).revealed({ ...agreement('fp1'), ...extra }, order)
  expect(action.action).toBe('require_payment')
  return { ref, url: String(action.iframe_url), action }
}

type Callbacks = readonly (readonly [name: string, rest: Json])[]

type FormPage = {
  readonly page: Page
  readonly frame: FrameLocator
  /** All callbacks so far, without the size changes. */
  readonly called: () => Promise<Callbacks>
  readonly heights: () => Promise<readonly number[]>
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
        heights: async () =>
          (await all())
            .filter(([name]) => name === 'resized')
            .map(([, rest]) => Number(rest.height)),
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

describe('the page of docs/hosted-form.md', () => {
  it.each([
    ['a card that pays', CARD, 'confirming'],
    ['one that is declined', DECLINED_CARD, 'paying'],
  ])('mounts the form, submits %s, and polls once its frame is gone', async (_, card, state) => {
    const { ref, url } = await placeDue()
    await withPage(
      url,
      async ({ page, frame, until }) => {
        await fill(frame, card)
        await page.getByRole('button', { name: 'Pay' }).first().click()
        await until('polled')
        expect(await page.locator('iframe').count()).toBe(0)
      },
      { path: '/guide' },
    )
    const now = await checkoutOf(shop, ref)
    expect(now === 'confirmed' ? 'confirming' : now).toBe(state)
  })
})

describe('the card form in a shop’s page', () => {
  it('is loaded, completed and paid, with a callback each time', async () => {
    const { ref, url } = await placeDue()
    await withPage(url, async ({ page, frame, called, until }) => {
      await until('formLoaded')
      expect(await called()).toEqual([['formLoaded', {}]])
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
      // Pasted from a chat, with marks that nobody sees.
      await fill(frame, {
        number: '\u202a4111\u2011１１１１ 11111111\u202c',
        expiry: '12\uff0f２０40\u200b',
        cvc: ' １2 3',
      })
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
      expect(await frame.getByLabel('CVC').getAttribute('aria-invalid')).toBe('false')
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
      await withPage(url, async ({ page, frame, called, until }) => {
        await until('formLoaded')
        await fill(frame, CHALLENGED_CARD)
        await frame.getByRole('button', { name: 'Pay' }).click()
        await until('authentication')
        const [, message] = (await called()).at(-1) ?? []
        await frame.getByRole('button', { name: answer, exact: true }).click()
        await until(name)
        expect(String(message?.src)).toMatch(new RegExp(`^${url}/3ds/`))
        expect(page.frames().map((each) => each.url())).toContain(message?.src)
        expect((await called()).at(-1)).toEqual([name, rest])
        expect(await frame.getByRole('status').textContent()).toBe(text)
      })
      await shop.advance(0)
      expect(await checkoutOf(shop, ref)).toBe(checkout)
    },
  )

  it('resizes with its contents, growing or shrinking', async () => {
    const { url } = await placeDue()
    await withPage(url, async ({ page, frame, heights, until }) => {
      await until('resized')
      const height = async () => (await page.locator('iframe').boundingBox())?.height
      const overrides = async () =>
        Math.ceil((await frame.locator('body').boundingBox())?.height ?? 0)
      expect(await height()).toBe(await overrides())
      const whole = await overrides()
      await fill(frame, CARD)
      await frame.getByRole('button', { name: 'Pay' }).click()
      await until('paymentSuccessful')
      await page.waitForFunction(
        `called.filter(([name]) => name === 'resized').at(-1)[1].height < ${whole}`,
      )
      expect(await height()).toBe(await overrides())
      expect((await heights()).every((each) => Number.isInteger(each) && each > 0)).toBe(true)
    })
  })

  const spanish = { customer: { language_code: 'es_ES' } }

  const FORM_GONE = 'Este formulario de pago ya no es válido.'
  const QUESTION_OVER = 'La pregunta de tu banco ha terminado.'

  it.each([
    [
      'without a payment',
      async () => `${server.url}/sandbox/pay/${await shop.place(spanish)}/nowhere`,
      FORM_GONE,
    ],
    [
      'of a card without a payment',
      async () => `${server.url}/sandbox/pay/${await shop.place(spanish)}/x/card/y`,
      FORM_GONE,
    ],
    [
      'of a question that its payment does not have',
      async () => `${(await placeDue({}, spanish)).url}/3ds/x`,
      QUESTION_OVER,
    ],
  ] as const)('leads on from an address %s, in the shopper’s language', async (_, urlOf, title) => {
    const url = await urlOf()
    await withPage(
      url,
      async ({ page, frame, called, until, heights }) => {
        await frame.getByRole('heading', { name: title }).waitFor()
        expect(await frame.locator('html').getAttribute('lang')).toBe('es')
        const toShop = frame.getByRole('link', { name: 'Volver a la tienda' })
        expect(await toShop.getAttribute('href')).toContain('/demo/return?product=')
        expect(await violationsOf(page)).toEqual([])
        expect((await heights()).length).toBeGreaterThan(0)
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

  it('has an error page in the browser’s language if the order is not known', async () => {
    const headers = { accept: 'text/html', 'accept-language': 'es-MX,en;q=0.5' }
    const answer = await shop.send(
      'GET',
      `/sandbox/pay/00000000-0000-4000-8000-000000000000/none`,
      undefined,
      headers,
    )
    expect([answer.status, answer.headers.get('content-language')]).toEqual([404, 'es'])
    expect(await answer.text()).not.toContain('Volver a la tienda')
  })
})

it.each([
  ['en', 'You cannot pay here, because the shop shows this form in a locked frame.'],
  ['es', 'Aquí no puedes pagar, porque la tienda muestra este formulario en un marco bloqueado.'],
])(
  'a card form in a frame without an origin says in %s that nobody can pay there',
  async (language, text) => {
    const { url } = await placeDue({}, { customer: { language_code: language } })
    await withPage(
      url,
      async ({ page, frame }) => {
        await frame.getByText(text).waitFor()
        expect(await frame.locator('form').isVisible()).toBe(false)
        const messages = (await page.evaluate('called')) as readonly Json[]
        expect(messages.filter(({ action }) => action === 'Service.payment_failed')).toEqual([
          { action: 'Service.payment_failed', error: expect.stringContaining('allow-same-origin') },
        ])
      },
      { path: '/locked' },
    )
  },
)

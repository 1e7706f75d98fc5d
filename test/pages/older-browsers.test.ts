// Shoppers have old phones. The checkout runs in Chrome 96, Firefox 94, Safari 15.1 and later,
// which have none of the functions and none of the syntax below. docs/hosted-form.md, Browsers.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { readBrowserFile } from '../../packages/server/src/http/page/browser-files.ts'
import { servedPages } from '../harness/served-pages.ts'
import { CHALLENGED_CARD } from '../harness/shop.ts'
import { formOf, identify, pay, waitForShop } from './shopper-steps.ts'

const { server, shop, withPage } = await servedPages({ reducedMotion: 'reduce' })

/** By the object that has them: what at least one of the three browsers does not have. */
const NEWER: Readonly<Record<string, readonly string[]>> = {
  AbortSignal: ['timeout', 'any'],
  'AbortSignal.prototype': ['throwIfAborted'],
  Array: ['fromAsync'],
  'Array.prototype': [
    'at',
    'findLast',
    'findLastIndex',
    'toSorted',
    'toReversed',
    'toSpliced',
    'with',
  ],
  crypto: ['randomUUID'],
  'CSSStyleSheet.prototype': ['replaceSync', 'replace'],
  Document: ['parseHTMLUnsafe'],
  'Document.prototype': ['adoptedStyleSheets', 'startViewTransition'],
  'Element.prototype': [
    'checkVisibility',
    'setHTMLUnsafe',
    'getHTML',
    'ariaBusy',
    'ariaInvalid',
    'ariaLabel',
  ],
  globalThis: [
    ...[
      'structuredClone',
      'reportError',
      'requestIdleCallback',
      'scheduler',
      'navigation',
      'Iterator',
    ],
    ...[
      'BroadcastChannel',
      'CompressionStream',
      'TextDecoderStream',
      'HTMLDialogElement',
      'CloseWatcher',
      'Sanitizer',
    ],
  ],
  'Headers.prototype': ['getSetCookie'],
  'HTMLElement.prototype': ['attachInternals', 'inert', 'popover', 'showPopover', 'togglePopover'],
  'HTMLFormElement.prototype': ['requestSubmit'],
  'HTMLInputElement.prototype': ['showPicker'],
  Intl: ['Segmenter', 'supportedValuesOf', 'DurationFormat'],
  'Intl.NumberFormat.prototype': ['formatRange', 'formatRangeToParts'],
  Map: ['groupBy'],
  'Navigator.prototype': ['locks', 'userActivation', 'userAgentData'],
  Object: ['hasOwn', 'groupBy'],
  Promise: ['withResolvers', 'try'],
  RegExp: ['escape'],
  'RegExp.prototype': ['unicodeSets', 'hasIndices'],
  Response: ['json'],
  'Set.prototype': ['union', 'intersection', 'difference', 'isSubsetOf'],
  'ShadowRoot.prototype': ['adoptedStyleSheets'],
  'String.prototype': ['at', 'isWellFormed', 'toWellFormed'],
  'SubmitEvent.prototype': ['submitter'],
  URL: ['canParse', 'parse'],
  'URLSearchParams.prototype': ['size'],
}

const ALL = Object.entries(NEWER).flatMap(([owner, names]) =>
  names.map((name) => [owner, name] as const),
)

const CONSTRUCTED_SHEETS = `CSSStyleSheet = class { constructor() { throw new TypeError('Illegal constructor') } }`

const deletionOf = (apis: readonly (readonly [owner: string, name: string])[]): string =>
  apis.map(([owner, name]) => `try { delete ${owner}['${name}'] } catch {}`).join('\n')

/** The scripts that a shopper loads. */
const SHOPPERS = await Promise.all(
  ['checkout-driver', 'checkout-element', 'card-form', 'payment-frame'].map(async (name) => ({
    ...(await readBrowserFile(`${name}.js`)),
    name,
  })),
)

// Look-behind, and flags set inside: the bundler's targets are not enough for patterns.
const NEWER_PATTERN = /\(\?<[=!]|\(\?[ims-]+:/

/**
 * The first two have a fallback. The others are names of older functions too, such as `JSON.parse`.
 */
const EXPECTED = ['adoptedStyleSheets', 'replaceSync', 'json', 'parse', 'replace', 'size']

it.each(SHOPPERS)(
  'the script $name asks for no function and no pattern that they do not have',
  ({ body }) => {
    const names = new Set(ALL.map(([, name]) => name))
    const members = [...body.matchAll(/[\w)\]]\??\.(\w+)/g)].map(([, name = '']) => name)
    const globals = [...body.matchAll(/(?<![.\w])(\w+)\(/g)].map(([, name = '']) => name)
    expect(members.length).toBeGreaterThan(10)
    const used = [
      ...members.filter((name) => names.has(name)),
      ...globals.filter((name) => NEWER.globalThis?.includes(name)),
    ]
    expect(used.filter((name) => !EXPECTED.includes(name))).toEqual([])
    expect(body).not.toMatch(NEWER_PATTERN)
  },
)

// Run in the page.
const BUTTON_COLOR = `getComputedStyle(document.querySelector('plazo-checkout').shadowRoot.querySelector('form button')).backgroundColor`

it('a checkout with a card buys without any of them, and without style sheets that a script makes, in the same colours', async () => {
  const order = await shop.place()
  await withPage('about:blank', async (page) => {
    await page.addInitScript(`${deletionOf(ALL)}\n${CONSTRUCTED_SHEETS}`)
    await page.goto(`${server.url}${formOf(order, 'fp1')}`)
    await page.getByRole('checkbox', { name: 'privacy policy' }).waitFor()
    await expect.poll(() => page.evaluate(BUTTON_COLOR)).toBe('rgb(79, 70, 229)')
    await identify(page, {}, shop)
    await pay(page, CHALLENGED_CARD)
    await page.frameLocator('iframe').getByRole('button', { name: 'Yes, pay' }).click()
    await waitForShop(page, 'fp1')
  })
})

describe('a script that cannot start', () => {
  const says = async (before: (page: Page) => Promise<unknown>): Promise<void> => {
    const order = await shop.place({ customer: { language_code: 'es' } })
    await withPage(
      'about:blank',
      async (page) => {
        await before(page)
        await page.goto(`${server.url}${formOf(order)}`)
        const message = page.getByText('El pago no ha empezado.')
        const back = page.getByRole('link', { name: 'Volver a la tienda' })
        await Promise.all([message.waitFor(), back.waitFor()])
        expect(await back.getAttribute('href')).toContain('/demo/return')
      },
      { allows: /./ },
    )
  }
  const SCRIPT = '**/checkout-element.*.js'

  it('is named by the page, which leads back to the shop: it does not load, or is not understood, or fails', async () => {
    await Promise.all([
      says((page) => page.route(SCRIPT, (route) => route.abort())),
      says((page) =>
        page.route(SCRIPT, (route) => route.fulfill({ contentType: 'text/javascript', body: '?' })),
      ),
      says((page) => page.addInitScript('delete Element.prototype.attachShadow')),
      says((page) => page.addInitScript('delete window.customElements')),
    ])
  })

  it('or a step that fails leads back to the shop too', async () => {
    await withPage(
      'about:blank',
      async (page) => {
        await page.addInitScript(
          'delete HTMLElement.prototype.dataset; delete Element.prototype.querySelector',
        )
        await page.addInitScript(
          `Object.defineProperty(HTMLElement.prototype, 'dataset', { get() { throw new Error() } })`,
        )
        await page.goto(`${server.url}${formOf(await shop.place())}`)
        await page
          .getByRole('alert')
          .filter({ hasText: 'This checkout could not be opened' })
          .waitFor()
        await page.getByRole('link', { name: 'Back to the shop' }).first().waitFor()
      },
      { allows: /./ },
    )
  })
})

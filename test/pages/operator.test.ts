// An operator who decides by keys, or without scripts, in a real browser. What the pages say is tested
// over HTTP, in test/end-to-end/console.test.ts. Contract §2 and §7.
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { addressesAt, checkoutOf, stagesOf, stateOf, surnames } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { addLamps, OPERATOR, servedPages } from '../harness/served-pages.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop, withPage } = await servedPages({ httpCredentials: OPERATOR })

/** Orders on hold, each with a reference of this beginning. */
const holdMany = async (count: number, prefix: string): Promise<readonly string[]> => {
  const refs: string[] = []
  for (let n = 1; n <= count; n++)
    refs.push(
      await stagesOf(shop).settled(surnames('review event'), {
        merchant_reference: { order_ref_1: `${prefix}-${n}` },
      }),
    )
  return refs
}

/** The page's script moves the focus after the page is shown. */
const expectFocus = (page: Page, text: string): Promise<void> =>
  expect.poll(() => page.evaluate('document.activeElement?.textContent?.trim()')).toBe(text)

/** Once the page's script listens. */
const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  await page.waitForLoadState()
  for (const key of keys) await page.keyboard.press(key)
}

/** Tabs to the control with this name, like a user without a mouse. */
const tabTo = async (page: Page, name: RegExp): Promise<void> => {
  const expected = page.locator('button, summary').filter({ hasText: name })
  for (let tabs = 0; tabs < 80; tabs++) {
    await page.keyboard.press('Tab')
    if ((await page.locator(':focus').and(expected).count()) === 1) return
  }
  throw new Error(`Nothing that is called ${name} can be reached by tabbing.`)
}

const waitForNotice = (page: Page, text: string): Promise<void> =>
  page.getByRole('status').filter({ hasText: text }).waitFor()

describe('the list of decisions', () => {
  it('is worked through by one key and one confirming key each, from one order to the next', async () => {
    const refs = await holdMany(4, 'keys')
    await withPage('/console/decisions?kind=review', async (page) => {
      await press(page, 'j', 'j', 'j', 'k')
      await expectFocus(page, 'keys-2')
      await press(page, 'r')
      const form = page.locator('details[open] form')
      expect(await form.textContent()).toContain('Its state is then: rejected by the operator.')
      await expectFocus(page, 'Yes, reject for good')
      expect(await checkoutOf(shop, refs[1] ?? '')).toBe('reviewing')
      await press(page, 'Enter')
      await waitForNotice(page, 'Order keys-2: rejected by the operator.')
      await expectFocus(page, 'keys-3')
      await press(page, 'a', 'Enter')
      await waitForNotice(page, 'Done. Order keys-3: ')
      await expectFocus(page, 'keys-4')
      // From the list to an order's page, and back behind it.
      await press(page, 'Enter')
      await page.getByRole('heading', { level: 1, name: 'Order keys-4' }).waitFor()
      await press(page, 'r', 'Enter')
      await waitForNotice(page, 'Order keys-4: rejected by the operator.')
      await page.getByText('No order waits here.').waitFor()
      await page.getByRole('link', { name: 'On hold' }).click()
      await press(page, 'j', 'r', 'Enter')
      await page.getByRole('link', { name: 'On hold 0 orders' }).waitFor()
    })
    const checkouts = await Promise.all(refs.map((ref) => checkoutOf(shop, ref)))
    expect(checkouts).toEqual(['cancelled', 'cancelled', 'confirmed', 'cancelled'])
  })

  it('works without scripts, by keyboard alone', async () => {
    const [ref = ''] = await holdMany(1, 'tabs')
    await withPage(
      '/console/decisions',
      async (page) => {
        for (const control of [/^Approve/, /^Yes, approve$/]) {
          await tabTo(page, control)
          await page.keyboard.press('Enter')
        }
        await waitForNotice(page, 'Done. Order tabs-1: ')
      },
      { javaScriptEnabled: false },
    )
    expect(await checkoutOf(shop, ref)).toBe('confirmed')
  })
})

describe('the page of an order', () => {
  it('takes the decisions about a confirmed order by their keys', async () => {
    for (const [key, cancellation] of [
      ['c', 'cancelled'],
      ['m', 'asking'],
    ] as const) {
      const { merchant } = addressesAt(receiver, 'keys')
      const ref = await stagesOf(shop).settled({}, { merchant })
      await withPage(`/console/orders/${ref}`, async (page) => {
        await press(page, key, 'Enter')
        await page.getByRole('status').waitFor()
      })
      expect(await stateOf(shop, ref)).toMatchObject({ cancellation })
    }
  })
})

describe('the search', () => {
  it('is reached by one key, and typing replaces the former text', async () => {
    await withPage('/console/orders?search=nowhere', async (page) => {
      await press(page, '/')
      await page.keyboard.type('elsewhere')
      expect(await page.getByLabel('Find an order').inputValue()).toBe('elsewhere')
      await page.keyboard.press('Enter')
      await page.waitForURL(/search=elsewhere/)
    })
  })
})

it('a secret is shown as it is', async () => {
  await addLamps(server, { secret: 'a'.repeat(32) })
  await withPage('/console/merchants/lamps', async (page) => {
    await page.getByRole('button', { name: 'Show the secret' }).click()
    await expect
      .poll(() => page.getByRole('status').allInnerTexts())
      .toEqual([expect.stringMatching(/^a+$/)])
  })
})

// The list of orders that wait for an operator in a real browser: decided one after another by keys,
// and without scripts by links and buttons.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { addressesAt, stagesOf, stateOf, surnames } from '../end-to-end/stages.ts'
import { startReceiver } from '../harness/receiver.ts'
import { addLamps, HOSTILE, OPERATOR, servedPages, tabTo } from '../harness/served-pages.ts'
import { basic } from '../harness/shop.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const { server, shop, withPage } = await servedPages({
  httpCredentials: OPERATOR,
  javaScriptEnabled: false,
})
const lamps = await addLamps(server)

const WITH_KEYS = { javaScriptEnabled: true }

const hold = (order_ref_1: string): Promise<string> =>
  stagesOf(shop).settled(surnames('review event'), { merchant_reference: { order_ref_1 } })

/** Orders on hold, each with a reference of this beginning. */
const holdMany = async (count: number, prefix: string): Promise<readonly string[]> => {
  const refs: string[] = []
  for (let n = 1; n <= count; n++) refs.push(await hold(`${prefix}-${n}`))
  return refs
}

/** An order whose merchant gives this answer to a cancel request. */
const askToCancel = async (order_ref_1: string, status: number, body: string): Promise<string> => {
  const { events, merchant } = addressesAt(receiver, order_ref_1)
  receiver.answer(events, { status, body })
  const ref = await stagesOf(shop).settled({}, { merchant, merchant_reference: { order_ref_1 } })
  await shop.decide(ref, 'request-cancellation')
  await shop.advance(0)
  return ref
}

const AS_OPERATOR = { headers: { authorization: basic(OPERATOR.username, OPERATOR.password) } }

type Waiting = {
  readonly waiting: Readonly<
    Record<
      string,
      { readonly entries: readonly { readonly order: { readonly order_ref: string } }[] }
    >
  >
}

// Each test begins with an empty list.
afterEach(async () => {
  for (;;) {
    const inbox = (await (await fetch(`${server.url}/console`, AS_OPERATOR)).json()) as Waiting
    const waiting = Object.entries(inbox.waiting).flatMap(([kind, { entries }]) =>
      entries.map(
        ({ order }) => [order.order_ref, kind === 'review' ? 'reject' : 'cancel'] as const,
      ),
    )
    for (const [ref, decision] of waiting) await shop.decide(ref, decision)
    if (waiting.length === 0) break
  }
})

const rows = (page: Page) => page.locator('[data-row] a')
const readFocus = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement?.textContent?.trim() ?? ""')
/** Once the page's script listens. */
const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  await page.waitForLoadState()
  for (const key of keys) await page.keyboard.press(key)
}
const noticeIn = async (page: Page): Promise<string> =>
  ((await page.getByRole('status').textContent()) ?? '').replaceAll(/\s+/g, ' ')

describe('the list of decisions', () => {
  it('counts each kind with the age of its oldest, and the bar counts them all', async () => {
    const review = await hold('counted')
    const askedRef = await askToCancel('asked', 200, '{"result":"retry","retry_in":60}')
    const unsupported = await askToCancel('unsupported', 501, '{"error":"unknown event"}')
    await shop.advance(7_200)
    await withPage('/console/decisions', async (page) => {
      const tiles = await page.locator('.tile').allTextContents()
      expect(tiles.map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
        'On hold 1 the oldest for 2 hours',
        'Cancel unanswered 0 none',
        'Cancel unsupported 1 the oldest for 2 hours',
        'Asked to cancel 1 the oldest for 2 hours',
      ])
      expect(await rows(page).allTextContents()).toEqual(['counted', 'unsupported', 'asked'])
      expect(await page.getByRole('link', { name: 'Decisions 3', exact: true }).count()).toBe(1)
    })
    await withPage('/console', async (page) => {
      await page.getByRole('link', { name: '1 order' }).first().click()
      await page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor()
      expect(page.url()).toBe(`${server.url}/console/decisions?kind=review`)
    })
    await shop.decide(review, 'reject')
    for (const ref of [askedRef, unsupported]) await shop.decide(ref, 'cancel')
    await withPage('/console/decisions', async (page) => {
      expect(await page.getByText('No order waits for a decision.').count()).toBe(1)
      expect(await page.getByRole('link', { name: 'Decisions', exact: true }).count()).toBe(1)
    })
    await withPage('/console', async (page) => {
      expect(await page.getByText('Nothing needs you.').count()).toBe(1)
    })
  })

  it('shows the orders of a merchant, by its address', async () => {
    await hold('ours')
    const theirs = await stagesOf(lamps).settled(surnames('review event'), {
      merchant: { id: 'lamps' },
    })
    await lamps.put(theirs, { state: 'on_hold' })
    await withPage('/console/decisions', async (page) => {
      await page.getByLabel('Merchant').fill('lamps')
      await page.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('link', { name: 'ours' }).waitFor({ state: 'detached' })
      expect(page.url()).toBe(`${server.url}/console/decisions?merchant=lamps`)
      expect(await rows(page).allTextContents()).toEqual([theirs.slice(0, 8)])
      await page.getByRole('link', { name: /^On hold/ }).click()
      expect(page.url()).toBe(`${server.url}/console/decisions?kind=review&merchant=lamps`)
    })
    await withPage(`/console/decisions?merchant=${encodeURIComponent(HOSTILE)}`, async (page) => {
      expect(await page.getByLabel('Merchant').inputValue()).toBe(HOSTILE)
      expect(await rows(page).count()).toBe(0)
    })
  })

  it('comes in pages, the oldest first, with each order once', async () => {
    const refs = await holdMany(23, 'paged')
    await withPage('/console/decisions', async (page) => {
      expect(await rows(page).count()).toBe(5)
      await page.getByRole('link', { name: 'All: on hold' }).click()
      await page.getByRole('link', { name: 'All decisions' }).waitFor()
      const first = await rows(page).allTextContents()
      await page.getByRole('link', { name: 'Later ones' }).click()
      await page.getByRole('link', { name: 'From the oldest' }).waitFor()
      expect([...first, ...(await rows(page).allTextContents())]).toEqual(
        refs.map((_, n) => `paged-${n + 1}`),
      )
    })
  })

  it.each(['kind=stuck', 'after=x', 'kind=review&after=-1'])(
    'requested with an invalid %s is a 400',
    async (query) => {
      for (const path of ['decisions', `orders/${crypto.randomUUID()}`])
        expect((await fetch(`${server.url}/console/${path}?${query}`, AS_OPERATOR)).status).toBe(
          400,
        )
    },
  )
})

describe('decisions one after another', () => {
  it('are one key and one confirming key each, with the consequences between them', async () => {
    const refs = await holdMany(4, 'keys')
    await withPage(
      '/console/decisions?kind=review',
      async (page) => {
        await press(page, 'j', 'j', 'j', 'k')
        expect(await readFocus(page)).toBe('keys-2')
        await press(page, 'r')
        const form = page.locator('details[open] form')
        expect(await form.textContent()).toContain('Its state is then: rejected by the operator.')
        expect(await readFocus(page)).toBe('Yes, reject it for good')
        expect(await stateOf(shop, refs[1] ?? '')).toMatchObject({ checkout: 'reviewing' })
        await press(page, 'Enter')
        await page.getByRole('status').waitFor()
        expect(await noticeIn(page)).toBe('Order keys-2 was rejected. Next: keys-3 n')
        expect(await readFocus(page)).toBe('keys-3')
        await press(page, 'a', 'Enter')
        await page.getByText('keys-3 was approved').waitFor()
        expect(await noticeIn(page)).toContain('Next: keys-4 n')
        await press(page, 'n')
        await page.getByRole('heading', { level: 1, name: 'Order keys-4' }).waitFor()
        expect(await page.locator('.title').textContent()).toContain('Next: keys-1')
        await press(page, 'r', 'Enter')
        await page.getByText('keys-4 was rejected').waitFor()
        expect(await noticeIn(page)).toContain('Next: keys-1 n')
        await press(page, 'n')
        await page.getByRole('heading', { level: 1, name: 'Order keys-1' }).waitFor()
        await press(page, 'r', 'Enter')
        await page.getByText('keys-1 was rejected').waitFor()
        expect(await noticeIn(page)).toContain('No other order waits here. All decisions n')
      },
      WITH_KEYS,
    )
    for (const [n, checkout] of ['cancelled', 'cancelled', 'confirmed', 'cancelled'].entries())
      expect((await stateOf(shop, refs[n] ?? '')).checkout).toBe(checkout)
  })

  it('work without scripts, by keyboard alone', async () => {
    const refs = await holdMany(2, 'tabs')
    await withPage('/console/decisions', async (page) => {
      for (const control of [/^Approve/, /^Yes, approve it$/]) {
        await tabTo(page, control)
        await page.keyboard.press('Enter')
      }
      await page.getByRole('status').waitFor()
      expect(await noticeIn(page)).toBe('Order tabs-1 was approved. Next: tabs-2 n')
      await page.getByRole('status').getByRole('link').click()
      await page.getByRole('heading', { level: 1, name: 'Order tabs-2' }).waitFor()
      await page.locator('summary', { hasText: 'Reject' }).click()
      await page.getByRole('button', { name: 'reject it for good' }).click()
      expect(await noticeIn(page)).toContain(
        'Order tabs-2 was rejected. No other order waits here.',
      )
    })
    expect((await stateOf(shop, refs[1] ?? '')).checkout).toBe('cancelled')
  })

  it('are refused in words if somebody else was first, and lead back to the list', async () => {
    const [first = ''] = await holdMany(2, 'race')
    await withPage(
      '/console/decisions?kind=review',
      async (page) => {
        await shop.decide(first, 'approve')
        await page.locator('summary', { hasText: 'Reject' }).first().click()
        await page.getByRole('button', { name: 'reject it for good' }).first().click()
        await page.getByRole('heading', { level: 1, name: 'The order has changed' }).waitFor()
        await page.getByRole('link', { name: 'Back', exact: true }).click()
        await page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor()
      },
      { allows: /409/ },
    )
    expect((await shop.history(first)).map(({ event }) => event)).not.toContain('review.rejected')
  })

  it('on the page of an order name the next one too', async () => {
    const [first = '', second = ''] = await holdMany(2, 'single')
    const decide = async (page: Page): Promise<string> => {
      await page.locator('summary', { hasText: 'Reject' }).click()
      await page.getByRole('button', { name: 'reject it for good' }).click()
      return noticeIn(page)
    }
    await withPage(`/console/orders/${second}`, async (page) => {
      expect(await decide(page)).toBe('Order single-2 was rejected. Next: single-1 n')
    })
    await withPage(`/console/orders/${first}`, async (page) => {
      expect(await decide(page)).toContain('No other order waits. All decisions')
    })
  })
})

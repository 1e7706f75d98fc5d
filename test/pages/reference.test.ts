// The reference page in a real browser. It can be read without scripts, without a mouse, in a
// narrow window, and with a screen reader. Scripts search it and copy its examples.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../packages/server/src/api/docs/openapi/document.ts'
import { type Entry, searchEntries } from '../../packages/server/src/api/docs/script/search.ts'
import { isWhole, overflowOf, servedPages, VIEWS, violationsOf } from '../harness/served-pages.ts'

const PHONE = 360

const { server, withPage } = await servedPages({
  javaScriptEnabled: false,
  permissions: ['clipboard-read', 'clipboard-write'],
})
const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument

const onDocs = (
  use: (page: Page) => Promise<void>,
  options?: Parameters<typeof withPage>[2],
): Promise<void> => withPage('/docs', use, options)

const callsOf = (paths: OpenApiDocument['paths']) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )

describe('the reference page', () => {
  it('shows every operation of the document, grouped by caller, with its answers and its samples', async () => {
    await onDocs(async (page) => {
      const operations = [...callsOf(document.paths), ...callsOf(document.webhooks)]
      expect(await page.locator('article .call').count()).toBe(operations.length)
      for (const { call, operation } of operations) {
        const article = page.locator(`[id="${operation.operationId}"]`)
        const text = (await article.textContent()) ?? ''
        expect(text).toContain(operation.summary)
        expect(await article.locator('.call').textContent()).toBe(call)
        expect(
          await page.locator('section', { has: article }).locator('h2').allTextContents(),
        ).toEqual(operation.tags)
        for (const { source } of operation['x-codeSamples'] ?? []) expect(text).toContain(source)
        for (const { name, description } of operation.parameters ?? []) {
          expect(text).toContain(name)
          expect(text).toContain(description)
        }
      }
    })
  })

  it('has no broken link and no duplicate id', async () => {
    await onDocs(async (page) => {
      const ids = await page
        .locator('[id]')
        .evaluateAll((all) => all.map((each) => (each as { id: string }).id))
      expect(new Set(ids).size).toBe(ids.length)
      const links = await page
        .locator('a')
        .evaluateAll((all) =>
          all
            .map((each) => each as unknown as { hash: string; pathname: string })
            .map(({ hash, pathname }) => ({ hash, pathname })),
        )
      expect(links.length).toBeGreaterThan(100)
      for (const { hash, pathname } of links)
        if (pathname === '/docs' && hash !== '') expect(ids).toContain(hash.slice(1))
      const others = new Set(
        links.map(({ pathname }) => pathname).filter((pathname) => pathname !== '/docs'),
      )
      expect(others).toContain('/openapi.json')
      const headers = { accept: 'text/html' }
      for (const pathname of others) {
        const answer = await page.request.get(new URL(pathname, page.url()).href, { headers })
        // The console asks for the operator's password.
        expect([pathname, answer.status()]).toEqual([pathname, pathname === '/console' ? 401 : 200])
      }
    })
  })

  it('shows its contents at all times on a wide page, and on request on a phone', async () => {
    const contents = (page: Page) => page.getByRole('navigation', { name: 'Contents' })
    await onDocs(async (page) => {
      await page.goto(`${server.url}/docs#schemas`)
      expect(await contents(page).getByRole('link', { name: 'Schemas' }).count()).toBe(1)
      expect((await contents(page).boundingBox())?.y).toBeLessThan(200)
    })
    await onDocs(
      async (page) => {
        expect(await contents(page).isVisible()).toBe(false)
        await page.getByText('Contents', { exact: true }).click()
        await contents(page).getByRole('link', { name: 'Place an order', exact: true }).click()
        expect(await contents(page).isVisible()).toBe(false)
        expect(new URL(page.url()).hash).toBe('#placeOrder')
      },
      { width: PHONE, javaScriptEnabled: true },
    )
  })

  it('is searched by keyboard, without a request', async () => {
    await onDocs(
      async (page) => {
        const requests: string[] = []
        page.on('request', (request) => requests.push(request.url()))
        const search = page.getByRole('searchbox', { name: 'Search' })
        await page.keyboard.press('/')
        await page.keyboard.type('advance seconds')
        expect(await search.inputValue()).toBe('advance seconds')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
        expect(new URL(page.url()).hash).toBe('#advanceClock')
        expect(await search.inputValue()).toBe('')
        // Not all are listed, and the count says so. Developers search for the term of the trade.
        await search.fill('order')
        expect(await page.locator('#count').textContent()).toMatch(
          /^\d+ found, the best 20 are listed$/,
        )
        expect(await page.locator('#found li').count()).toBe(20)
        await search.fill('idempotency')
        expect(await page.locator('#found li').count()).toBeGreaterThan(0)
        await search.fill('nowhere to be found')
        expect(await page.locator('#count').textContent()).toBe('0 found')
        await page.keyboard.press('Escape')
        expect(await page.locator('#count').textContent()).toBe('')
        expect(requests).toEqual([])
      },
      { javaScriptEnabled: true },
    )
  })

  it('copies every example as it is shown', async () => {
    await onDocs(
      async (page) => {
        expect(await page.locator('.code').count()).toBe(await page.locator('pre').count())
        const [first] = await page.locator('#placeOrder .code', { hasText: 'curl' }).all()
        await first?.getByRole('button', { name: 'Copy' }).click()
        await first?.getByRole('button', { name: 'Copied' }).waitFor()
        const copied = await page.evaluate('navigator.clipboard.readText()')
        expect(copied).toBe(await first?.locator('pre').textContent())
        expect(copied).toContain('\n    "order": {\n')
      },
      { javaScriptEnabled: true },
    )
  })

  // The whole page has thousands of elements, which differ only in these. `pnpm browser` checks all.
  it.each(VIEWS)(
    'fits %i pixels, and passes axe in %s, with results of a search',
    async (width, colorScheme) => {
      await onDocs(
        async (page) => {
          expect(await overflowOf(page)).toBe(0)
          await page.getByRole('searchbox').fill('order')
          for (const part of isWhole ? [undefined] : ['.side', '#placeOrder'])
            expect(await violationsOf(page, part)).toEqual([])
        },
        { width, colorScheme, javaScriptEnabled: true },
      )
    },
  )
})

describe('the search of the reference page', () => {
  const entry = (title: string, rest: Partial<Entry> = {}): Entry => ({
    id: title,
    title,
    call: '',
    names: [],
    text: '',
    ...rest,
  })
  const titles = (all: readonly Entry[], query: string) =>
    searchEntries(all, query).map(({ entry }) => entry.title)

  it('prefers titles to paths, paths to members, and members to texts', () => {
    const all = [
      entry('text', { text: 'it sets the Clock' }),
      entry('member', { names: ['clock_at'] }),
      entry('path', { call: 'POST /sandbox/clock' }),
      entry('Move the clock'),
      entry('else'),
    ]
    expect(titles(all, ' CLOCK ')).toEqual(['Move the clock', 'path', 'member', 'text'])
    expect(searchEntries(all, 'clock').map(({ because }) => because)).toEqual([
      '',
      'POST /sandbox/clock',
      'clock_at',
      '',
    ])
  })

  it('finds only entries with every word, and nothing without a word', () => {
    const all = [entry('Place an order'), entry('Get an order')]
    expect(titles(all, 'order place')).toEqual(['Place an order'])
    expect(titles(all, '  ')).toEqual([])
  })
})

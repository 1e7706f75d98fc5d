// The reference page in a real browser. It must work without scripts, without a mouse, in a narrow window, and with a screen
// reader.
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApiDocument } from '../../packages/server/src/openapi/document-types.ts'
import { launchBrowser, type OwnBrowser } from '../harness/browser.ts'
import { type RunningServer, startServer } from '../harness/running-server.ts'

const WIDE = 1280
const NARROW = 320

let server: RunningServer
let own: OwnBrowser
let document: OpenApiDocument

beforeAll(async () => {
  server = await startServer()
  own = await launchBrowser()
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument
})
afterAll(async () => {
  await own.close()
  await server.kill()
})

type PageOptions = {
  readonly width?: number
  readonly runsScripts?: boolean
  readonly colorScheme?: 'light' | 'dark'
}

const withPage = async (
  use: (page: Page) => Promise<void>,
  { width = WIDE, runsScripts = false, colorScheme = 'light' }: PageOptions = {},
): Promise<void> => {
  const context = await own.browser.newContext({
    viewport: { width, height: 700 },
    javaScriptEnabled: runsScripts,
    colorScheme,
  })
  const page = await context.newPage()
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  try {
    await page.goto(`${server.url}/docs`)
    await use(page)
    // A violated policy appears here.
    expect(said).toEqual([])
  } finally {
    await context.close()
  }
}

const callsOf = (paths: OpenApiDocument['paths']) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ call: `${method.toUpperCase()} ${path}`, operation })),
  )

describe('the reference page', () => {
  it('shows every operation of the document, grouped by caller, with its answers and its samples', async () => {
    await withPage(async (page) => {
      const operations = [...callsOf(document.paths), ...callsOf(document.webhooks)]
      expect(await page.locator('article .call').count()).toBe(operations.length)
      for (const { call, operation } of operations) {
        const article = page.locator(`[id="${operation.operationId}"]`)
        const text = (await article.textContent()) ?? ''
        expect(text).toContain(operation.summary)
        expect(await article.locator('.call').textContent()).toBe(call)
        expect(await page.locator('section', { has: article }).locator('h2').allTextContents()).toEqual(operation.tags)
        for (const { source } of operation['x-codeSamples'] ?? []) expect(text).toContain(source)
        for (const { name, description } of operation.parameters ?? []) {
          expect(text).toContain(name)
          expect(text).toContain(description)
        }
      }
    })
  })

  it('names every member of every schema', async () => {
    await withPage(async (page) => {
      for (const [name, schema] of Object.entries(document.components.schemas)) {
        const article = page.locator(`[id="schema-${name}"]`)
        const names = await article.locator('.name').allTextContents()
        const members = [schema, ...((schema.oneOf ?? schema.anyOf ?? []) as (typeof schema)[])].flatMap((each) =>
          Object.keys((each.properties ?? {}) as object),
        )
        for (const member of members) expect([name, names]).toEqual([name, expect.arrayContaining([member])])
      }
    })
  })

  it('has no broken link and no duplicate id', async () => {
    await withPage(async (page) => {
      const ids = await page.locator('[id]').evaluateAll((all) => all.map((each) => (each as { id: string }).id))
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
        if (pathname === '/docs') expect(ids).toContain(hash.slice(1))
        else expect(pathname).toBe('/openapi.json')
    })
  })

  it('can be used by keyboard alone', async () => {
    await withPage(async (page) => {
      const link = page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Place an order' })
      for (let tabs = 0; tabs < 40; tabs++) {
        await page.keyboard.press('Tab')
        if ((await page.locator(':focus').and(link).count()) === 1) break
      }
      await page.keyboard.press('Enter')
      expect(new URL(page.url()).hash).toBe('#placeOrder')
      const example = page.locator('#placeOrder details').first()
      expect(await example.locator('pre').isVisible()).toBe(false)
      for (let tabs = 0; tabs < 40; tabs++) {
        await page.keyboard.press('Tab')
        if ((await example.locator('summary:focus').count()) === 1) break
      }
      await page.keyboard.press('Enter')
      expect(await example.locator('pre').isVisible()).toBe(true)
    })
  })

  it.each([WIDE, NARROW])('needs no horizontal scrolling at %i pixels', async (width) => {
    await withPage(
      async (page) => {
        const root = 'document.documentElement'
        expect(await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0)
      },
      { width, runsScripts: true },
    )
  })

  const faults = async (axe: AxeBuilder): Promise<readonly string[]> =>
    (await axe.analyze()).violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 5)
          .map(({ html }) => html)
          .join(' ')}`,
    )

  it('passes axe', async () => {
    await withPage(async (page) => expect(await faults(new AxeBuilder({ page }))).toEqual([]), { runsScripts: true })
  })

  it('has a dark mode', async () => {
    await withPage(
      async (page) => expect(await faults(new AxeBuilder({ page }).withRules(['color-contrast']))).toEqual([]),
      { runsScripts: true, colorScheme: 'dark' },
    )
  })
})

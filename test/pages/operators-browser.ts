// A browser signed in as the operator, without scripts unless requested. It records the output of the browser's console.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { launchBrowser } from '../harness/browser.ts'

export const WIDE = 1280
export const NARROW = 320

type PageOptions = {
  readonly width?: number
  readonly runsScripts?: boolean
  readonly colorScheme?: 'light' | 'dark'
  /** The expected output of the browser's console. Default: none. */
  readonly consoleErrors?: readonly string[]
}

export type OperatorsBrowser = {
  readonly withPage: (url: string, use: (page: Page) => Promise<void>, options?: PageOptions) => Promise<void>
  readonly close: () => Promise<void>
}

export const operatorsBrowser = async (): Promise<OperatorsBrowser> => {
  const own = await launchBrowser()
  return {
    close: own.close,
    withPage: async (
      url,
      use,
      { width = WIDE, runsScripts = false, colorScheme = 'light', consoleErrors = [] } = {},
    ) => {
      const context = await own.browser.newContext({
        viewport: { width, height: 700 },
        javaScriptEnabled: runsScripts,
        colorScheme,
        httpCredentials: { username: 'operator', password: 'operator' },
      })
      const page = await context.newPage()
      const messages: string[] = []
      page.on('console', (message) => messages.push(message.text()))
      try {
        await page.goto(url)
        await use(page)
        // A violated policy appears here.
        expect(messages).toEqual(consoleErrors)
      } finally {
        await context.close()
      }
    },
  }
}

/** Tabs to the control with this name, like a user without a mouse. */
export const tabTo = async (page: Page, name: RegExp): Promise<void> => {
  const expected = page
    .getByRole('button', { name })
    .or(page.getByRole('checkbox', { name }))
    .or(page.getByRole('textbox', { name }))
    .or(page.getByRole('link', { name }))
  for (let tabs = 0; tabs < 40; tabs++) {
    await page.keyboard.press('Tab')
    if ((await page.locator(':focus').and(expected).count()) === 1) return
  }
  throw new Error(`Nothing that is called ${name} can be reached by tabbing.`)
}

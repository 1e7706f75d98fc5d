// A sandbox with one order in screening and one that awaits its payment, and the pages that
// pictures and measurements show.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { agreement, stagesOf } from '../../end-to-end/stages.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { startServer } from '../../harness/running-server.ts'
import { shopAt } from '../../harness/shop.ts'

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

type ScenePage = {
  /** The picture's file name. */
  readonly name: string
  readonly path: string
  readonly viewport: { readonly width: number; readonly height: number }
  /** Shown before the picture is taken. */
  readonly selector?: string
}

type Scene = {
  readonly pages: readonly ScenePage[]
  readonly url: string
  /** A page in a browser of its own, with the credentials of the merchant. */
  readonly withPage: <A>(
    options: BrowserContextOptions,
    use: (page: Page) => Promise<A>,
  ) => Promise<A>
}

export const withScene = async <A>(use: (scene: Scene) => Promise<A>): Promise<A> => {
  const server = await startServer()
  const overrides = await launchBrowser()
  const { url } = server
  try {
    const shop = shopAt(url)
    const stages = stagesOf(shop)
    const cart = { merchant_reference: { order_ref_1: 'A-1001' } }
    // Its screening does not resolve while the picture is taken.
    const screening = await stages.proven({ surnames: 'expiry event' }, cart)
    const { ref } = await stages.revealed(agreement('fp1'))
    return await use({
      url,
      pages: [
        {
          name: 'front-page',
          path: `/?order=${screening}`,
          viewport: { width: 1440, height: 900 },
        },
        {
          name: 'machine',
          path: `/machine/orders/${screening}`,
          viewport: { width: 1280, height: 1160 },
          selector: 'plazo-machine',
        },
        { name: 'checkout', path: `/orders/${ref}/form_v2`, viewport: PHONE },
        { name: 'docs', path: '/docs#placeOrder', viewport: WIDE },
      ],
      withPage: async (options, visit) => {
        const httpCredentials = { username: 'demo', password: 'demo' }
        const context = await overrides.browser.newContext({
          httpCredentials,
          locale: 'en',
          ...options,
        })
        try {
          return await visit(await context.newPage())
        } finally {
          await context.close()
        }
      },
    })
  } finally {
    await overrides.close()
    await server.kill()
  }
}

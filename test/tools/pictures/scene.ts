// A sandbox with an order in screening, one that awaits its payment, and one whose shop fails, and
// the pages that pictures and measurements show.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { addressesAt, agreement, stagesOf } from '../../end-to-end/stages.ts'
import { launchBrowser } from '../../harness/browser.ts'
import { startReceiver } from '../../harness/receiver.ts'
import { startServer } from '../../harness/running-server.ts'
import { OPERATOR } from '../../harness/served-pages.ts'
import { DEMO, shopAt } from '../../harness/shop.ts'

const PHONE = { width: 390, height: 844 }

type ScenePage = {
  /** The picture's file name. */
  readonly name: string
  readonly path: string
  readonly viewport: { readonly width: number; readonly height: number }
  /** Who looks at it. Default: the demo merchant. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /** Shown before the picture is taken. */
  readonly selector?: string
}

type Scene = {
  readonly pages: readonly ScenePage[]
  readonly url: string
  /** A page in a browser of its own. */
  readonly withPage: <A>(
    page: Pick<ScenePage, 'viewport' | 'credentials'>,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<A>,
  ) => Promise<A>
}

export const withScene = async <A>(use: (scene: Scene) => Promise<A>): Promise<A> => {
  const server = await startServer()
  const overrides = await launchBrowser()
  const receiver = await startReceiver()
  const { url } = server
  try {
    const shop = shopAt(url)
    const stages = stagesOf(shop)
    const cart = { merchant_reference: { order_ref_1: 'A-1001' } }
    // Its screening does not resolve while the picture is taken.
    const screening = await stages.proven({ surnames: 'expiry event' }, cart)
    const { ref } = await stages.revealed(agreement('fp1'))
    const { ipn, merchant } = addressesAt(receiver, 'shop')
    receiver.answer(ipn, { status: 503, body: '' })
    const order = { merchant, merchant_reference: { order_ref_1: 'A-1002' } }
    const confirming = await stages.settled({}, order)
    await shop.advance(0)
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
        {
          name: 'console',
          path: `/console/orders/${confirming}`,
          viewport: { width: 1280, height: 1000 },
          credentials: OPERATOR,
        },
      ],
      withPage: async ({ viewport, credentials = DEMO }, options, visit) => {
        const context = await overrides.browser.newContext({
          viewport,
          httpCredentials: credentials,
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
    await receiver.close()
    await server.kill()
  }
}

// Serves the hosted checkout to shops, and the scripts of all pages. Contract §3.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Hono } from 'hono'
import { problem } from '../http/problem.ts'
import { readProduct } from '../http/request.ts'
import { type BrowserScript, browserScript, classicScript, MODULES_PATH } from '../pages/browser-script.ts'
import { hostedCheckout } from '../pages/hosted-checkout.ts'
import { sendPage } from '../pages/page.ts'
import { SCRIPTS } from '../pages/scripts.ts'
import type { Services } from './services.ts'

export const hostedCheckoutRoutes = ({ ownOrder, baseUrl, respond }: Services) =>
  new Hono().get('/orders/:uuid/form_v2', (c) =>
    pipe(
      ownOrder(c),
      TE.bindTo('order'),
      TE.bindW('product', ({ order }) => TE.fromEither(readProduct(c, 'product')(order))),
      respond(c, ({ order, product }) => sendPage(c, hostedCheckout(order, product, baseUrl))),
    ),
  )

const CARD_FORM = browserScript(new URL('../browser/checkout/card-form.ts', import.meta.url))

const SCRIPT_HEADERS = {
  'content-type': 'text/javascript; charset=UTF-8',
  'cache-control': 'public, max-age=300',
  'cross-origin-resource-policy': 'cross-origin',
}

// Pages of any origin may load modules, which browsers allow only with this header. They hold nothing that is not public.
const MODULE_HEADERS = { ...SCRIPT_HEADERS, 'access-control-allow-origin': '*' }

/** A module at a lasting path. It re-exports the module whose path changes with the code. */
const entry = ({ path }: BrowserScript): string => `export * from './${path.slice('sdk/'.length)}'\n`

export const scriptRoutes = ({ host }: Services) => {
  // The card form script's global has the service's name. Contract §8, Card form.
  const cardForm = { SERVICE: host.terms.names.service }
  const modules = new Map(Object.values(SCRIPTS).map((script) => [script.name, script]))
  return new Hono()
    .get('/sdk/card-form.js', (c) => c.body(classicScript(CARD_FORM, cardForm), 200, SCRIPT_HEADERS))
    .get('/sdk/checkout.js', (c) => c.body(entry(SCRIPTS.checkoutDriver), 200, MODULE_HEADERS))
    .get('/sdk/machine.js', (c) => c.body(entry(SCRIPTS.machine), 200, MODULE_HEADERS))
    .get('/sdk/plazo-checkout.js', (c) => c.body(entry(SCRIPTS.checkoutElement), 200, MODULE_HEADERS))
    .get(`/${MODULES_PATH}/:script`, (c) => {
      const script = modules.get(c.req.param('script'))
      return script === undefined ? problem(c, 404, 'Script not found.') : c.body(script.body(), 200, MODULE_HEADERS)
    })
}

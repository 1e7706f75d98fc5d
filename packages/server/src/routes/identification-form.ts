// Serves the hosted identification form to shops, and the scripts of all pages. All URLs of the form are absolute, so that the
// page is complete wherever it is shown. Contract §3.
import { type CreditProduct, checkoutMetadata, type Host, languageOf, money, type Order } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { OrderAccess } from '../http/access.ts'
import { problem } from '../http/problem.ts'
import { readProduct } from '../http/request.ts'
import { type BrowserScript, browserScript, classicScript, MODULES_PATH } from '../pages/browser-script.ts'
import { FORM_TEXTS } from '../pages/form-texts.ts'
import { FRONT_PAGE_SCRIPTS } from '../pages/front-page.ts'
import { identificationForm } from '../pages/identification-form.ts'
import { MACHINE_SCRIPTS } from '../pages/machine.ts'
import { sendPage } from '../pages/page.ts'
import { REFERENCE_SCRIPTS } from '../pages/reference.ts'
import { SANDBOX_SCRIPTS } from '../pages/sandbox-pages.ts'
import { SHOPPER_STYLE } from '../pages/styles.ts'
import type { AnswerError } from './answers.ts'

const FORM_SCRIPT_PATH = '/sdk/identification-form.js'
const CARD_FORM_PATH = '/sdk/card-form.js'

type FormParts = {
  readonly host: Host
  readonly ownOrder: OrderAccess
  readonly baseUrl: string
  readonly privacyPolicy: string
}

export const identificationFormRoutes = (
  { host, ownOrder, baseUrl, privacyPolicy }: FormParts,
  answerError: AnswerError,
) => {
  const { links, names } = host.terms
  const { origin } = new URL(baseUrl)
  const metadata = checkoutMetadata({ privacyField: names.privacyField, privacyPolicy })

  const showForm = (c: Context, order: Order, product: CreditProduct): Promise<Response> => {
    const { orderRef, merchant, currency, total } = order.placed
    const language = languageOf(order.placed.language)
    const texts = FORM_TEXTS[language]
    return sendPage(c, {
      language,
      title: texts.title,
      style: SHOPPER_STYLE,
      scripts: [baseUrl + CARD_FORM_PATH, baseUrl + FORM_SCRIPT_PATH],
      body: identificationForm({
        texts,
        metadata: metadata(order, product),
        optionalFields: merchant.optionalFields,
        country: merchant.country,
        total: money(total, currency, order.placed.language).string,
        productTitle: product.text[language].title,
        identificationUrl: `${baseUrl}/api/v1/checkout/${orderRef}/identification`,
        waitUrl: links.wait(orderRef),
        service: names.service,
      }),
      // The card form's URL is our own, and may redirect to a provider's https URL.
      policy: [`connect-src ${origin}`, `frame-src ${origin} https:`],
    })
  }

  return new Hono().get('/orders/:uuid/form_v2', (c) =>
    pipe(
      ownOrder(c),
      TE.bindTo('order'),
      TE.bindW('product', ({ order }) => TE.fromEither(readProduct(c, 'product')(order))),
      TE.matchE(
        (error) => async () => answerError(c, error),
        ({ order, product }) =>
          () =>
            showForm(c, order, product),
      ),
    )(),
  )
}

const FORM_SCRIPT = browserScript(new URL('../browser/identification-form.ts', import.meta.url))
const CARD_FORM = browserScript(new URL('../browser/card-form.ts', import.meta.url))

const withImports = (script: BrowserScript): readonly BrowserScript[] => [
  script,
  ...script.imports.flatMap(withImports),
]

const sendScript = (c: Context, script: string): Response =>
  c.body(script, 200, {
    'content-type': 'text/javascript; charset=UTF-8',
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
    // Pages of any origin may load modules, which browsers allow only with this header.
    'access-control-allow-origin': '*',
  })

/** `service` gives the card form script its global's name and its messages' prefix. Contract §8, Card form. */
export const scriptRoutes = (service: string) => {
  const modules = new Map(
    [...SANDBOX_SCRIPTS, ...MACHINE_SCRIPTS, ...FRONT_PAGE_SCRIPTS, ...REFERENCE_SCRIPTS]
      .flatMap(withImports)
      .map((script) => [script.name, script]),
  )
  return new Hono()
    .get(CARD_FORM_PATH, (c) => sendScript(c, classicScript(CARD_FORM, { SERVICE: service })))
    .get(FORM_SCRIPT_PATH, (c) => sendScript(c, classicScript(FORM_SCRIPT)))
    .get(`/${MODULES_PATH}/:script`, (c) => {
      const script = modules.get(c.req.param('script'))
      return script === undefined ? problem(c, 404, 'Script not found.') : sendScript(c, script.body())
    })
}

// Serves the hosted identification form to shops, and its script. All its URLs are absolute, so that the page is complete
// wherever it is shown. Contract §3.
import { readFileSync } from 'node:fs'
import { type CreditProduct, checkoutMetadata, type Host, languageOf, money, type Order } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { OrderAccess } from '../http/access.ts'
import { readProduct } from '../http/request.ts'
import { cardFormSdk } from '../pages/card-form-sdk.ts'
import { FORM_TEXTS } from '../pages/form-texts.ts'
import { identificationForm } from '../pages/identification-form.ts'
import { shopperPage } from '../pages/shopper-page.ts'
import type { AnswerError } from './answers.ts'

const SCRIPT_PATH = '/sdk/identification-form.js'

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
  // Reads the source file, even if this file has been built.
  const script = readFileSync(new URL('../../src/browser/identification-form.js', import.meta.url), 'utf8')
  const metadata = checkoutMetadata({ privacyField: names.privacyField, privacyPolicy })

  const showForm = (c: Context, order: Order, product: CreditProduct): Promise<Response> => {
    const { orderRef, merchant, currency, total } = order.placed
    const language = languageOf(order.placed.language)
    const texts = FORM_TEXTS[language]
    return shopperPage(c, {
      language,
      title: texts.title,
      scripts: [`${baseUrl}/sdk/card-form.js`, `${baseUrl}${SCRIPT_PATH}`],
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

  return new Hono()
    .get('/orders/:uuid/form_v2', (c) =>
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
    .get(SCRIPT_PATH, (c) =>
      c.body(script, 200, {
        'content-type': 'text/javascript; charset=UTF-8',
        'cache-control': 'public, max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
      }),
    )
}

// Serves the small script that mounts the card form in a shop's page, no matter who serves the form. Contract §8, Card form.

export const cardFormSdkRoutes = (service: string) =>
  new Hono().get('/sdk/card-form.js', (c) =>
    c.body(cardFormSdk(service), 200, {
      'content-type': 'text/javascript; charset=UTF-8',
      'cache-control': 'public, max-age=300',
      'cross-origin-resource-policy': 'cross-origin',
    }),
  )

// The console's pages for merchants: the list with the health of their endpoints, and one merchant
// with everything that can be changed, by the rules of `plazo merchant`. A page has a secret only in
// the answer to a request for it. Contract §7.
import type { Endpoint, Merchant, MerchantNotFound, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { value } from '../http/answers.ts'
import { type FormFields, formBody } from '../http/body.ts'
import { type Markup, rootFrom } from '../http/page/page.ts'
import type { KnownError } from '../http/problem.ts'
import {
  addMerchant,
  changeMerchant,
  type MerchantSettings,
  possibleFields,
  replaceSecret,
  type SettingsRefused,
} from '../merchants/merchant-settings.ts'
import { healthPill, KIND_TITLES } from './endpoints.ts'
import {
  type ConsoleParts,
  card,
  countWords,
  merchantOf,
  see,
  timeMarkup,
  UNKNOWN_MERCHANT,
} from './frame.ts'
import {
  ACTION_EVENTS,
  type FormState,
  formOf,
  merchantSettings,
  textField,
} from './settings-form.ts'

const NEW = ['ref', 'name', 'username', 'password', 'secret'] as const
const CHANGEABLE = [
  'name',
  'password',
  'currency',
  'products',
  'country',
  'optional_fields',
  ACTION_EVENTS,
]
const LISTS = ['products', 'optional_fields']

const pathOf = (ref: string): string => `/merchants/${encodeURIComponent(ref)}`

const settingsOf = ({ [ACTION_EVENTS]: checkbox, ...texts }: FormFields): MerchantSettings => ({
  ...texts,
  ...(checkbox !== undefined && { sendActionEvents: checkbox === 'on' }),
  ...(texts.country === '' && { country: null }),
})

/** A new merchant's settings that are left empty are not given. */
const givenIn = (fields: FormFields): FormFields =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''))

const healthOf = (endpoints: readonly Endpoint[], ref: string, root: string, now: number): Markup =>
  html`${(['ipn', 'event'] as const).map((kind) => {
    const endpoint = endpoints.find((each) => each.merchantRef === ref && each.kind === kind)
    return html`<div><a href="${root}console/endpoints/${encodeURIComponent(ref)}/${kind}">${KIND_TITLES[kind]}</a> ${healthPill(endpoint, now)}</div>`
  })}`

const DONE = new Map([
  ['added', 'is added. Give the signing secret to the shop.'],
  ['changed', 'is changed. Earlier orders keep the former settings.'],
  ['rotated', 'has a new signing secret. Give it to the shop.'],
])

type SecretOnPage = {
  readonly form: FormState
  readonly address: string
  /** Null: nobody has asked for it. */
  readonly secret: string | null
  /** Until when the former one also signs; null: it does not. */
  readonly overlapEnd: number | null
}

const secretCard = ({ form, address, secret, overlapEnd }: SecretOnPage): Markup =>
  card(
    'Signing secret',
    html`<div class="inside">
${secret === null ? html`<form method="post" action="${address}/show-secret"><button class="other">Show the secret</button></form>` : html`<p role="status"><code>${secret}</code></p>`}
${overlapEnd !== null && html`<p>The former secret also signs, in <code>Webhook-Signature</code>, until ${timeMarkup(overlapEnd)}. By then the shop must check with the new one.</p>`}
<details class="decision"${form.errors.secret && html` open`}><summary class="button final">Rotate the secret…</summary>
<form method="post" action="${address}/rotate-secret">
<p>For 24 hours the current secret also signs, in <code>Webhook-Signature</code>. Then a shop that still checks with it refuses all IPNs and events.</p>
${textField(form, 'secret')}
<button class="final">Yes, replace the secret</button>
</form></details></div>`,
  )

const accountCard = (account: readonly Merchant[], form: FormState, address: string): Markup =>
  card(
    'Account',
    html`<div class="inside">
<p>Merchants of the account <code>${account[0]?.username}</code>: ${account.map(({ ref }) => html`<a href="${encodeURIComponent(ref)}"><bdi>${ref}</bdi></a> `)}</p>
<details class="decision"${form.errors.password && html` open`}><summary class="button other">Change the password…</summary>
<form method="post" action="${address}">
<p>At once, these merchants can call only with the new password.</p>
${textField(form, 'password')}
<button>Yes, change the password</button>
</form></details></div>`,
  )

/** Null: the form was done. Else what was typed, with an error for each setting that is wrong. */
const refusalIn = (
  fields: FormFields,
  task: TE.TaskEither<SettingsRefused | MerchantNotFound | Unavailable, unknown>,
): Promise<FormState | null> =>
  value(
    pipe(
      task,
      TE.map(() => null),
      TE.orElseW((error): TE.TaskEither<KnownError, FormState> => {
        if (error._tag === 'SettingsRefused')
          return TE.right({ values: fields, errors: error.errors })
        return TE.left(error._tag === 'Unavailable' ? error : UNKNOWN_MERCHANT)
      }),
    ),
  )

export const merchantPages = ({ host, merchants, config, show }: ConsoleParts) => {
  const { store, clock } = host
  const parts = { merchants, terms: config }
  const fields = possibleFields(config.names)

  const readEndpoints = (merchantRef: string | null, count: number) =>
    value(store.endpoints.list({ merchantRef, isFailing: false, limit: 2 * count }))

  const showBody = (c: Context, title: string, refused: FormState | null, body: Markup) => {
    const page = {
      title,
      body: html`${refused && html`<div role="alert"><p><strong>Nothing was done.</strong> Correct what is marked.</p></div>`}${body}`,
    } as const
    return show(c, page, refused === null ? 200 : 409)
  }

  const showList = async (c: Context, refused: FormState | null = null): Promise<Response> => {
    const all = await value(merchants.list())
    const endpoints = await readEndpoints(null, all.length)
    const [root, now] = [rootFrom(c), clock.now()]
    const form = refused ?? { values: {}, errors: {} }
    const row = ({ ref, name, currency, products }: Merchant): Markup => html`<tr data-row>
<th scope="row"><a href="${root}console${pathOf(ref)}"><bdi>${ref}</bdi></a> <bdi class="quiet">${name}</bdi></th>
<td>${currency}</td><td>${healthOf(endpoints, ref, root, now)}</td><td>${products.join(', ')}</td></tr>`
    const body = html`<div class="title"><h1>Merchants</h1> <span class="quiet">${countWords({ count: all.length, isExact: true }, 'merchant')}</span></div>
<details class="decision"${refused && html` open`}><summary class="button">Add a merchant…</summary>
<form method="post" action="${root}console/merchants">
<div class="columns">${NEW.map((setting) => textField(form, setting))}</div>
${merchantSettings(form, fields)}
<button>Add merchant</button>
</form></details>
<div class="card scroll" role="region" aria-label="Merchants" tabindex="0"><table class="stacked">
<thead><tr><th scope="col">Merchant</th><th scope="col">Currency</th><th scope="col">Endpoints</th><th scope="col">Products</th></tr></thead>
<tbody>${all.map(row)}</tbody></table></div>`
    return showBody(c, 'Merchants', refused, body)
  }

  const showMerchant = async (
    c: Context,
    refused: FormState | null = null,
    showsSecret = false,
  ): Promise<Response> => {
    const merchant = await merchantOf(c, merchants)
    const { ref, name } = merchant
    const now = clock.now()
    const [account, endpoints, overlapEnd] = await Promise.all([
      value(merchants.ofAccount(merchant.username)),
      readEndpoints(ref, 1),
      value(merchants.secretOverlapEnd(ref, now)),
    ])
    const root = rootFrom(c)
    const address = `${root}console${pathOf(ref)}`
    const done = DONE.get(c.req.query('done') ?? '')
    const form = formOf(merchant, refused)
    const secret = showsSecret ? merchant.signatureSecret : null
    const settings = html`<form class="inside" method="post" action="${address}">
${textField(form, 'name')}
${merchantSettings(form, fields)}
<button>Save</button>
</form>`
    const body = html`${done !== undefined && html`<p class="notice good" role="status">Merchant <bdi>${ref}</bdi> ${done}</p>`}
<div class="title"><h1><bdi>${name}</bdi></h1> <code class="quiet">${ref}</code>
<span class="actions"><a href="${root}console/orders?merchant=${encodeURIComponent(ref)}">Orders</a> <a href="${root}console/merchants">All merchants</a></span></div>
<div class="beside">${card('Settings', settings)}
<div class="stack">
${card('Endpoints', html`<div class="inside">${healthOf(endpoints, ref, root, now)}</div>`)}
${secretCard({ form, address, secret, overlapEnd })}
${accountCard(account, form, address)}
</div></div>`
    return showBody(c, `Merchant ${ref}`, refused, body)
  }

  return new Hono()
    .get('/merchants', (c) => showList(c))
    .post('/merchants', async (c) => {
      const form = await value(formBody(c, [...NEW, ...CHANGEABLE], LISTS))
      const refused = await refusalIn(form, addMerchant(parts)(settingsOf(givenIn(form))))
      return refused === null
        ? see(c, `${pathOf(form.ref ?? '')}?done=added`)
        : showList(c, refused)
    })
    .get('/merchants/:merchant', (c) => showMerchant(c))
    .post('/merchants/:merchant', async (c) => {
      const { ref } = await merchantOf(c, merchants)
      const form = await value(formBody(c, CHANGEABLE, LISTS))
      const refused = await refusalIn(form, changeMerchant(parts)(ref, settingsOf(form)))
      return refused === null ? see(c, `${pathOf(ref)}?done=changed`) : showMerchant(c, refused)
    })
    .post('/merchants/:merchant/show-secret', (c) => showMerchant(c, null, true))
    .post('/merchants/:merchant/rotate-secret', async (c) => {
      const { ref } = await merchantOf(c, merchants)
      const form = await value(formBody(c, ['secret']))
      const rotated = replaceSecret(parts)(ref, givenIn(form), clock.now())
      const refused = await refusalIn(form, rotated)
      return refused === null ? see(c, `${pathOf(ref)}?done=rotated`) : showMerchant(c, refused)
    })
}

// The console's pages for merchants: the list with the health of their endpoints, and one merchant
// with everything that can be changed, by the rules of `plazo merchant`. The page shows each error
// below its field, and keeps all other texts. A page has a secret only in the answer to a request for it.
// Contract §7.
import type { Endpoint, Merchant, Unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { type Markup, rootFrom } from '../http/page/page.ts'
import { formBody } from '../http/request.ts'
import { value } from '../http/route.ts'
import {
  addMerchant,
  CHANGEABLE_SETTINGS,
  changeMerchant,
  isRequired,
  type MerchantSettings,
  merchantView,
  replaceSecret,
  SETTINGS,
  type Setting,
  type SettingsRefused,
} from '../merchants/merchant-settings.ts'
import { healthPill, KIND_TITLES } from './endpoints.ts'
import { type ConsoleParts, card, foldedForm, merchantOf, see, timeMarkup } from './frame.ts'

const PASSWORD = SETTINGS.filter(({ name }) => name === 'password')
const SECRET = SETTINGS.filter(({ name }) => name === 'secret')
const OFFER = CHANGEABLE_SETTINGS.filter((setting) => !PASSWORD.includes(setting))

const pathOf = (ref: string): string => `/merchants/${encodeURIComponent(ref)}`

type FormState = {
  readonly values: Readonly<Record<string, unknown>>
  readonly errors: MerchantSettings
}

const EMPTY: FormState = { values: {}, errors: {} }

const statusOf = (form: FormState) => (form === EMPTY ? 200 : 409)

const valuesOf = (merchant: Merchant): FormState['values'] => ({
  ...merchantView(merchant),
  send_action_events: merchant.sendActionEvents && 'on',
})

const field = ({ values, errors }: FormState, setting: Setting): Markup => {
  const { name, expected } = setting
  const label = name.replaceAll('_', ' ')
  const error = errors[name]
  // A browser sends no unchecked box, so an empty text comes before it.
  if (name === 'send_action_events')
    return html`<input type="hidden" name="${name}" value=""><label class="choice"><input type="checkbox" name="${name}" value="on"${values[name] === 'on' && html` checked`}> <span>${label}</span></label>`
  const kind =
    name === 'password'
      ? html`type="password" autocomplete="new-password"`
      : html`autocomplete="off" value="${String(values[name] ?? '')}"`
  const isFirstError = Object.keys(errors)[0] === name
  return html`<div class="field"><label for="${name}">${label}</label>
<input ${kind} id="${name}" name="${name}" spellcheck="false" aria-describedby="${name}-note"${isRequired(setting) && html` required`}${error && html` aria-invalid="true"`}${isFirstError && html` autofocus`}>
<p id="${name}-note" class="${error ? 'wrong' : 'hint'}">${error ? `${label} ${error}` : expected}</p></div>`
}

const fields = (form: FormState, settings: readonly Setting[]): Markup =>
  html`<div class="columns">${settings.map((setting) => field(form, setting))}</div>`

const healthOf = (endpoints: readonly Endpoint[], ref: string, root: string, now: number): Markup =>
  html`${(['ipn', 'event'] as const).map((kind) => {
    const endpoint = endpoints.find((each) => each.merchantRef === ref && each.kind === kind)
    return html`<div><a href="${root}console/endpoints/${encodeURIComponent(ref)}/${kind}">${KIND_TITLES[kind]}</a> ${healthPill(endpoint, now)}</div>`
  })}`

type StoreSettings = (
  ref: string,
  settings: MerchantSettings,
) => TE.TaskEither<SettingsRefused | Unavailable, unknown>

export const merchantPages = (parts: ConsoleParts) => {
  const { merchants, show } = parts
  const { store, clock } = parts.host

  const showList = async (c: Context, refused: FormState = EMPTY): Promise<Response> => {
    const all = await value(merchants.list())
    const endpoints = await value(
      store.endpoints.list({ merchantRef: null, isFailing: false, limit: 2 * all.length }),
    )
    const [root, now] = [rootFrom(c), clock.now()]
    const form = html`${fields(refused, SETTINGS)}<button>Add merchant</button>`
    const body = html`<header><h1>Merchants</h1></header>
${foldedForm('Add a merchant', `${root}console/merchants`, form, refused !== EMPTY)}
<div class="card scroll" role="region" aria-label="Merchants" tabindex="0"><table class="stacked">
<thead><tr><th scope="col">Merchant</th><th scope="col">Currency</th><th scope="col">Endpoints</th><th scope="col">Products</th></tr></thead>
<tbody>${all.map(
      ({ ref, name, currency, products }) => html`<tr data-row>
<th scope="row"><a href="${root}console${pathOf(ref)}"><bdi>${ref}</bdi></a> <bdi class="quiet">${name}</bdi></th>
<td>${currency}</td><td>${healthOf(endpoints, ref, root, now)}</td><td>${products.join(', ')}</td></tr>`,
    )}</tbody></table></div>`
    return show(c, { title: 'Merchants', body }, statusOf(refused))
  }

  const showMerchant = async (
    c: Context,
    refused: FormState = EMPTY,
    showsSecret = false,
  ): Promise<Response> => {
    const merchant = await merchantOf(c, merchants)
    const { ref, name, username } = merchant
    const overlapEnd = await value(merchants.secretOverlapEnd(ref, clock.now()))
    const root = rootFrom(c)
    const address = `${root}console${pathOf(ref)}`
    const { errors } = refused
    const form = { errors, values: { ...valuesOf(merchant), ...refused.values } }
    const secret = showsSecret
      ? html`<code role="status">${merchant.signatureSecret}</code>`
      : html`<form method="post" action="${address}/show-secret"><button class="other">Show the secret</button></form>`
    const rotation = html`<p>For 24 hours the current secret also signs, in <code>Webhook-Signature</code>. Then a shop that still checks with it refuses all IPNs and events.</p>
${fields(form, SECRET)}<button class="final">Yes, replace the secret</button>`
    const password = html`<p>At once, all merchants of the account <code>${username}</code> can call only with the new password.</p>
${fields(form, PASSWORD)}<button>Yes, change the password</button>`
    const body = html`${c.req.query('done') !== undefined && html`<p class="notice good" role="status">Merchant <bdi>${ref}</bdi> is saved. Earlier orders keep the former settings.</p>`}
<header><h1><bdi>${name}</bdi></h1> <code class="quiet">${ref}</code>
<span class="actions"><a href="${root}console/orders?merchant=${encodeURIComponent(ref)}">Orders</a></span></header>
<div class="beside">
${card('Settings', html`<form method="post" action="${address}">${fields(form, OFFER)}<button>Save</button></form>`)}
${card(
  'Credentials',
  html`<div class="stack">
${foldedForm('Change the password', address, password, 'password' in errors)}
${secret}
${overlapEnd !== null && html`<p>The former secret also signs, in <code>Webhook-Signature</code>, until ${timeMarkup(overlapEnd)}. By then the shop must check with the new one.</p>`}
${foldedForm('Rotate the secret', `${address}/rotate-secret`, rotation, 'secret' in errors)}</div>`,
)}
</div>`
    return show(c, { title: `Merchant ${ref}`, body }, statusOf(refused))
  }

  /** Leads to the merchant's page, or shows the form again with what is wrong. */
  const post =
    (
      settings: readonly Setting[],
      storeSettings: StoreSettings,
      showRefused: (c: Context, refused: FormState) => Promise<Response>,
    ) =>
    async (c: Context): Promise<Response> => {
      const names = settings.map(({ name }) => name)
      const values = await formBody(c, names)
      const ref = c.req.param('merchant') ?? values.ref ?? ''
      const stored = await storeSettings(ref, values)()
      if (E.isRight(stored)) return see(c, `${pathOf(ref)}?done`)
      const error = stored.left
      return error._tag === 'SettingsRefused'
        ? showRefused(c, { values, errors: error.errors })
        : value(TE.left(error))
    }

  const change: StoreSettings = (ref, settings) => changeMerchant(parts, ref, settings)
  const rotate: StoreSettings = (ref, settings) => replaceSecret(parts, ref, settings, clock.now())

  return new Hono()
    .get('/merchants', (c) => showList(c))
    .post(
      '/merchants',
      post(SETTINGS, (_, settings) => addMerchant(parts, settings), showList),
    )
    .get('/merchants/:merchant', (c) => showMerchant(c))
    .post('/merchants/:merchant', post(CHANGEABLE_SETTINGS, change, showMerchant))
    .post('/merchants/:merchant/show-secret', async (c) => {
      await formBody(c, [])
      return showMerchant(c, EMPTY, true)
    })
    .post('/merchants/:merchant/rotate-secret', post(SECRET, rotate, showMerchant))
}

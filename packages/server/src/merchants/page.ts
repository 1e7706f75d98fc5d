// The console's pages for merchants: the list with the health of their endpoints, and one merchant
// with everything that can be changed. A secret stands only in the answer to a request for it.
import type { Endpoint, Merchant } from '@plazo/core/ports'
import { html } from 'hono/html'
import { healthPill, KIND_TITLES } from '../console/endpoint-pages.ts'
import { card, refusalMarkup, timeMarkup } from '../console/frame.ts'
import { countWords } from '../console/words.ts'
import type { Markup } from '../http/page/page.ts'
import { type FormState, formOf, merchantSettings, textField } from './settings-form.ts'

/** What both pages need. */
export type MerchantsShown = {
  /** The endpoints of the merchants, but none that was never called. */
  readonly endpoints: readonly Endpoint[]
  /** What was typed and refused. */
  readonly form: FormState
  /** The fields of the shopper’s form that can be optional. */
  readonly fields: readonly string[]
  /** Domain time. */
  readonly now: number
  /** The server's base URL with a slash, relative to where the page is shown. */
  readonly root: string
}

const pathOf = (ref: string): string => `console/merchants/${encodeURIComponent(ref)}`

const healthIn = ({ endpoints, now, root }: MerchantsShown) => {
  const keyOf = (ref: string, kind: string): string => `${kind} ${ref}`
  const byKey = new Map(endpoints.map((each) => [keyOf(each.merchantRef, each.kind), each]))
  return (ref: string): readonly Markup[] =>
    (['ipn', 'event'] as const).map(
      (kind) =>
        html`<div><a href="${root}console/endpoints/${encodeURIComponent(ref)}/${kind}">${KIND_TITLES[kind]}</a> ${healthPill(byKey.get(keyOf(ref, kind)), now)}</div>`,
    )
}

const refusalOf = ({ errors }: FormState): Markup | false =>
  refusalMarkup(Object.keys(errors).length === 0 ? [] : ['Correct what is marked.'])

/** `part`: the settings of which one is wrong, so that their form is open. */
const openIf = ({ errors }: FormState, part: keyof FormState['errors']): Markup | false =>
  errors[part] !== undefined && html` open`

const HEADS = ['Merchant', 'Currency', 'Endpoints', 'Products']
const NEW = ['ref', 'name', 'username', 'password', 'secret'] as const

export const merchantsPage = (merchants: readonly Merchant[], page: MerchantsShown): Markup => {
  const { form, fields, root } = page
  const health = healthIn(page)
  const refusal = refusalOf(form)
  return html`${refusal}
<div class="title"><h1>Merchants</h1> <span class="quiet">${countWords({ count: merchants.length, isExact: true }, 'merchant')}</span></div>
<details class="decision"${refusal && html` open`}><summary class="button">Add a merchant…</summary>
<form method="post" action="${root}console/merchants">
<div class="columns">${NEW.map((setting) => textField(form, setting))}</div>
${merchantSettings(form, fields)}
<button>Add merchant</button>
</form></details>
<div class="card scroll" role="region" aria-label="Merchants" tabindex="0"><table class="stacked">
<thead><tr>${HEADS.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${merchants.map(
    ({ ref, name, currency, products }) => html`<tr data-row>
<th scope="row"><a href="${root}${pathOf(ref)}"><bdi>${ref}</bdi></a> <bdi class="quiet">${name}</bdi></th>
<td>${currency}</td><td>${health(ref)}</td><td>${products.join(', ')}</td>
</tr>`,
  )}</tbody>
</table></div>`
}

type MerchantOnPage = MerchantsShown & {
  readonly merchant: Merchant
  /** The merchants that share the account, with this one. */
  readonly account: readonly Merchant[]
  /** Until when a former secret also signs; null: none does. */
  readonly overlapEnd: number | null
  readonly showsSecret: boolean
  /** The name of what was done, as in `DONE`. */
  readonly done: string
}

const DONE = new Map([
  ['added', 'is added. Show the signing secret, and give it to the shop.'],
  ['changed', 'is changed. Earlier orders keep the former settings.'],
  ['rotated', 'has a new signing secret. Show it, and give it to the shop.'],
])

const secretCard = (page: MerchantOnPage, address: string): Markup => {
  const { merchant, overlapEnd, showsSecret, form } = page
  return card(
    'Signing secret',
    html`<div class="inside">
${
  showsSecret
    ? html`<p role="status"><code>${merchant.signatureSecret}</code></p>`
    : html`<form method="post" action="${address}/show-secret"><button class="other">Show the secret</button></form>`
}
${overlapEnd !== null && html`<p>The former secret also signs, in <code>Webhook-Signature</code>, until ${timeMarkup(new Date(overlapEnd).toISOString())}. By then the shop must check with the new one.</p>`}
<details class="decision"${openIf(form, 'secret')}><summary class="button final">Rotate the secret…</summary>
<form method="post" action="${address}/rotate-secret">
<p>The new secret signs at once. For 24 hours the current one also signs, in <code>Webhook-Signature</code>. Then a shop that still checks with it refuses each IPN and event.</p>
${textField(form, 'secret')}
<button class="final">Yes, replace the secret</button>
</form></details></div>`,
  )
}

const accountCard = ({ merchant, account, form, root }: MerchantOnPage, address: string): Markup =>
  card(
    'Account',
    html`<div class="inside">
<p>Merchants of the account <code>${merchant.username}</code>: ${account.map(({ ref }) => html`<a href="${root}${pathOf(ref)}"><bdi>${ref}</bdi></a> `)}</p>
<details class="decision"${openIf(form, 'password')}><summary class="button other">Change the password…</summary>
<form method="post" action="${address}">
<p>At once, these merchants can call only with the new password.</p>
${textField(form, 'password')}
<button>Yes, change the password</button>
</form></details></div>`,
  )

export const merchantPage = (page: MerchantOnPage): Markup => {
  const { merchant, fields, root } = page
  const { ref, name } = merchant
  const address = `${root}${pathOf(ref)}`
  const done = DONE.get(page.done)
  const form = formOf(merchant, page.form)
  return html`${refusalOf(form)}
${done !== undefined && html`<p class="notice good" role="status">Merchant <bdi>${ref}</bdi> ${done}</p>`}
<div class="title"><h1><bdi>${name}</bdi></h1> <code class="quiet">${ref}</code>
<span class="actions"><a href="${root}console/orders?merchant=${encodeURIComponent(ref)}">Orders</a> <a href="${root}console/merchants">All merchants</a></span></div>
<div class="beside">
${card(
  'Settings',
  html`<form class="inside" method="post" action="${address}">
${textField(form, 'name')}
${merchantSettings(form, fields)}
<button>Save</button>
</form>`,
)}
<div class="stack">
${card('Endpoints', html`<div class="inside">${healthIn(page)(ref)}</div>`)}
${secretCard(page, address)}
${accountCard(page, address)}
</div>
</div>`
}

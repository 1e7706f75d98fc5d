// The console's pages for merchants: the list, one merchant with their secret, and the form for a
// new one.
import type { Merchant } from '@plazo/core/ports'
import { CATALOGUE, PRICED_CURRENCIES } from '@plazo/core/protocol'
import { html } from 'hono/html'
import { card, refusalMarkup } from '../http/page/console-page.ts'
import type { Markup } from '../http/page/page.ts'

export const MERCHANT_FIELDS: readonly (readonly [
  name: string,
  label: string,
  optional?: 'optional',
])[] = [
  ['ref', 'Reference, used in every URL'],
  ['name', 'Name'],
  ['username', 'Username of the account; several merchants may share one'],
  ['password', 'Password of the account'],
  ['currency', `Currency. Available: ${PRICED_CURRENCIES.join(', ')}`],
  [
    'products',
    `Products, default first. Available: ${CATALOGUE.map(({ code }) => code).join(',')}`,
  ],
  ['country', 'Country, for example ES', 'optional'],
  ['optional_fields', 'Optional identification fields', 'optional'],
  ['secret', 'Signing secret, 32 hex digits; generated if empty', 'optional'],
]

const field = (
  values: Readonly<Record<string, string>>,
  [name, label, optional]: (typeof MERCHANT_FIELDS)[number],
): Markup => {
  const isPassword = name === 'password'
  return html`<div class="field"><label for="${name}">${label}${optional && ' (optional)'}</label>
<input id="${name}" name="${name}" ${isPassword && html`type="password" `}value="${isPassword ? '' : (values[name] ?? '')}" ${
    !optional && html`required `
  }autocomplete="${isPassword ? 'new-password' : 'off'}" spellcheck="false"></div>`
}

/**
 * `base`: the list's URL relative to where the page is shown. `values`: the fields that were typed
 * and refused.
 */
export const merchantsPage = (
  merchants: readonly Merchant[],
  base: string,
  values: Readonly<Record<string, string>> = {},
  refusal: readonly string[] = [],
): Markup => html`${refusalMarkup(refusal)}
<h1>Merchants</h1>
<div class="card scroll" role="region" aria-label="Merchants" tabindex="0"><table>
<thead><tr><th scope="col">Merchant</th><th scope="col">Name</th><th scope="col">Account</th><th scope="col">Currency</th><th scope="col">Products</th></tr></thead>
<tbody>
${merchants.length === 0 && html`<tr><td colspan="5">No merchants yet.</td></tr>`}
${merchants.map(
  ({ ref, name, username, currency, products }) => html`<tr>
<td><a href="${base}/${ref}"><bdi>${ref}</bdi></a></td><td><bdi>${name}</bdi></td><td>${username}</td><td>${currency}</td><td>${products.join(', ')}</td>
</tr>`,
)}
</tbody>
</table></div>

${card(
  'Add a merchant',
  html`<form class="inside" method="post" action="${base}">
<div class="columns">${MERCHANT_FIELDS.map((each) => field(values, each))}</div>
<label class="choice"><input type="checkbox" name="send_action_events"${values.send_action_events === 'on' && html` checked`}> Send identification_action events</label>
<button>Add merchant</button>
</form>`,
)}`

/** `address`: the page's own URL, relative to where it is shown. */
export const merchantPage = (merchant: Merchant, address: string): Markup => html`
<h1><bdi>${merchant.name}</bdi></h1>
${card(
  'Details',
  html`<dl class="inside">
<dt>Reference</dt><dd><code>${merchant.ref}</code></dd>
<dt>Username</dt><dd><code>${merchant.username}</code></dd>
<dt>Signing secret</dt><dd><code>${merchant.signatureSecret}</code></dd>
<dt>Country</dt><dd>${merchant.country ?? 'none'}</dd>
<dt>Currency</dt><dd>${merchant.currency}</dd>
<dt>Products</dt><dd>${merchant.products.join(', ')}</dd>
<dt>Optional fields</dt><dd>${merchant.optionalFields.join(', ') || 'none'}</dd>
<dt>Action events</dt><dd>${merchant.sendActionEvents ? 'pushed' : 'not pushed'}</dd>
</dl>`,
)}
${card(
  'Rotate the signing secret',
  html`<form method="post" action="${address}/rotate-secret" class="inside">
<p>The new secret signs at once. For 24 hours the current secret also signs, in <code>Webhook-Signature</code>.</p>
<label class="choice"><input type="checkbox" required> Yes, replace the secret</label>
<button class="final">Rotate the secret</button>
</form>`,
)}`

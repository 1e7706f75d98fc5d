// The console's pages for merchants: the list, one merchant with their secret, and the form for a
// new one.
import type { Merchant } from '@plazo/core/ports'
import { CATALOGUE, PRICED_CURRENCIES } from '@plazo/core/protocol'
import { html } from 'hono/html'
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
  return html`<label for="${name}">${label}${optional && ' (optional)'}</label>
<input id="${name}" name="${name}" ${isPassword && html`type="password" `}value="${isPassword ? '' : (values[name] ?? '')}" ${
    !optional && html`required `
  }autocomplete="${isPassword ? 'new-password' : 'off'}" spellcheck="false">`
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
): Markup => html`${
  refusal.length > 0 &&
  html`<div role="alert"><p><strong>Nothing was done.</strong></p>${refusal.map((sentence) => html`<p>${sentence}</p>`)}</div>`
}
<h1>Merchants</h1>
<p><a href="${base.replace(/[^/]*$/, '')}../console">Needs a decision</a></p>
${merchants.length === 0 && html`<p>No merchants yet.</p>`}
<ol role="list">
${merchants.map(
  ({ ref, name, username, currency, products }) => html`<li>
<a href="${base}/${ref}"><bdi>${ref}</bdi></a>
<p><bdi>${name}</bdi>, <span class="quiet">account ${username}, ${currency}, ${products.join(', ')}</span></p>
</li>`,
)}
</ol>

<h2>Add a merchant</h2>
<form method="post" action="${base}">
${MERCHANT_FIELDS.map((each) => field(values, each))}
<label><input type="checkbox" name="send_action_events"${values.send_action_events === 'on' && html` checked`}> Send identification_action events</label>
<button>Add merchant</button>
</form>`

/** `address`: the page's own URL, relative to where it is shown. */
export const merchantPage = (merchant: Merchant, address: string): Markup => html`
<h1><bdi>${merchant.name}</bdi></h1>
<p><a href="${address.replace(/[^/]*$/, '')}../merchants">All merchants</a></p>

<h2>Details</h2>
<dl>
<dt>Reference</dt><dd><code>${merchant.ref}</code></dd>
<dt>Username</dt><dd><code>${merchant.username}</code></dd>
<dt>Signing secret</dt><dd><code>${merchant.signatureSecret}</code></dd>
<dt>Country</dt><dd>${merchant.country ?? 'none'}</dd>
<dt>Currency</dt><dd>${merchant.currency}</dd>
<dt>Products</dt><dd>${merchant.products.join(', ')}</dd>
<dt>Optional fields</dt><dd>${merchant.optionalFields.join(', ') || 'none'}</dd>
<dt>Action events</dt><dd>${merchant.sendActionEvents ? 'pushed' : 'not pushed'}</dd>
</dl>

<h2>Actions</h2>
<form method="post" action="${address}/rotate-secret" class="final">
<h3>Rotate the signing secret</h3>
<p>The new secret signs at once. For 24 hours the current secret also signs, in <code>Webhook-Signature</code>.</p>
<label><input type="checkbox" required> Yes, replace the secret</label>
<button>Rotate the secret</button>
</form>`

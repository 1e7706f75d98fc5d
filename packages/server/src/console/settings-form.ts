// Forms for the settings of a merchant. Each field has its error where it was typed, what was typed
// stays, and the focus goes to the first error, all without a script.
import type { Merchant } from '@plazo/core/ports'
import { CATALOGUE, PRICED_CURRENCIES } from '@plazo/core/protocol'
import { html } from 'hono/html'
import type { Markup } from '../http/page/page.ts'
import { parseList, type SettingErrors, type SettingName } from '../merchants/merchant-settings.ts'

export const ACTION_EVENTS = 'send_action_events'

export type FormState = {
  readonly values: Readonly<Record<string, string>>
  readonly errors: SettingErrors
}

/** The settings of a merchant, under what was typed and refused. */
export const formOf = (merchant: Merchant, refused: FormState | null): FormState => ({
  values: {
    name: merchant.name,
    currency: merchant.currency,
    products: merchant.products.join(),
    country: merchant.country ?? '',
    optional_fields: merchant.optionalFields.join(),
    [ACTION_EVENTS]: merchant.sendActionEvents ? 'on' : '',
    ...refused?.values,
  },
  errors: refused?.errors ?? {},
})

const HINTS: { readonly [setting in SettingName]?: string } = {
  ref: 'Every URL names it. It never changes.',
  username: 'Several merchants may share one account.',
  password: 'The password of the whole account.',
  secret: '32 hex digits. Empty: a random one.',
  country: 'For ID numbers and postal codes, such as ES. Empty: none.',
}

const labelOf = (name: SettingName): string => {
  if (name === 'products') return 'Default product'
  if (name === 'secret') return 'Signing secret'
  const words = name === 'ref' ? 'reference' : name.replace('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** The attributes of a field. The first one that is wrong gets the focus. */
const marks = ({ errors }: FormState, name: SettingName): Markup =>
  html` id="${name}" name="${name}" aria-describedby="${name}-note"${errors[name] && html` aria-invalid="true"`}${Object.keys(errors)[0] === name && html` autofocus`}`

const labelField = ({ errors }: FormState, name: SettingName, control: Markup): Markup => {
  const error = errors[name]
  return html`<div class="field"><label for="${name}">${labelOf(name)}</label>${control}
<p id="${name}-note" class="${error ? 'wrong' : 'hint'}">${error ? `${labelOf(name)} ${error}` : HINTS[name]}</p></div>`
}

export const textField = (form: FormState, name: SettingName): Markup => {
  const kind =
    name === 'password'
      ? html`type="password" autocomplete="new-password"`
      : html`autocomplete="off" value="${form.values[name]}"`
  const required = name !== 'secret' && name !== 'country' && html` required`
  return labelField(
    form,
    name,
    html`<input ${kind} spellcheck="false"${required}${marks(form, name)}>`,
  )
}

type Options = readonly (readonly [value: string, words: string])[]

/** A stored value that is not offered any more stays until another one is chosen. */
const selectField = (
  form: FormState,
  name: SettingName,
  current: string,
  options: Options,
): Markup => {
  const all = new Map([[current, current || 'Choose one'], ...options])
  return labelField(
    form,
    name,
    html`<select required${marks(form, name)}>${[...all].map(([value, words]) => html`<option value="${value}"${value === current && html` selected`}>${words}</option>`)}</select>`,
  )
}

const checkbox = (name: string, value: string, isChecked: boolean, words: string): Markup =>
  html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}> <span>${words}</span></label>`

const checkboxes = (name: string, chosen: readonly string[], options: Options): Markup =>
  html`<div class="columns">${options.map(([value, words]) => checkbox(name, value, chosen.includes(value), words))}</div>`

const PRODUCTS: Options = CATALOGUE.map(({ code, text }) => [code, text.en.title])
const CURRENCIES: Options = PRICED_CURRENCIES.map((code) => [code, code])

/**
 * What can be changed of every merchant, but the name, in the order in which errors are found. The
 * default product comes before the others, so that a browser sends it first. `fields`: those that
 * can be optional.
 */
export const merchantSettings = (form: FormState, fields: readonly string[]): Markup => {
  const { currency = '', products = '', optional_fields = '' } = form.values
  const offered = parseList(products)
  const optional: Options = fields.map((field) => [field, field.replaceAll('_', ' ')])
  return html`<div class="columns">
${selectField(form, 'currency', currency, CURRENCIES)}
${selectField(form, 'products', offered[0] ?? '', PRODUCTS)}
${textField(form, 'country')}
</div>
<fieldset class="field"><legend class="field-name">Products</legend>
${checkboxes('products', offered, PRODUCTS)}</fieldset>
<input type="hidden" name="optional_fields" value="">
<details><summary>Optional fields</summary>
${checkboxes('optional_fields', parseList(optional_fields), optional)}</details>
<input type="hidden" name="${ACTION_EVENTS}" value="">
${checkbox(ACTION_EVENTS, 'on', form.values[ACTION_EVENTS] === 'on', 'Send an event for each step of a shopper')}`
}

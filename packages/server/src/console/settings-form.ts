// Forms for the settings of a merchant. Each field has its error where it was typed, what was typed
// stays, and the focus goes to the first error, all without a script.
import type { Merchant } from '@plazo/core/ports'
import { CATALOGUE, PRICED_CURRENCIES } from '@plazo/core/protocol'
import { html } from 'hono/html'
import { ENGLISH } from '../checkout/script/english.ts'
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

const FIELDS: { readonly [setting in SettingName]: readonly [label: string, hint: string] } = {
  ref: ['Reference', 'Every URL names it. It never changes.'],
  name: ['Name', 'The name for people.'],
  username: ['Username', 'Several merchants may share one account.'],
  password: ['Password', 'The password of the whole account.'],
  secret: ['Signing secret', '32 hex digits. Empty: a random one.'],
  currency: ['Currency', 'The currency of its orders.'],
  products: ['Default product', 'It is always offered.'],
  country: [
    'Country',
    'Its rules apply to ID numbers and postal codes, for example ES. Empty: none.',
  ],
  optional_fields: ['Optional fields', 'A shopper may leave them empty.'],
}

/** The attributes of a field. The first one that is wrong gets the focus. */
const marks = ({ errors }: FormState, name: SettingName): Markup =>
  html` id="${name}" name="${name}" aria-describedby="${name}-note"${errors[name] !== undefined && html` aria-invalid="true"`}${Object.keys(errors)[0] === name && html` autofocus`}`

const note = ({ errors }: FormState, name: SettingName): Markup => {
  const [label, hint] = FIELDS[name]
  const error = errors[name]
  return html`<p id="${name}-note" class="${error === undefined ? 'hint' : 'wrong'}">${error === undefined ? hint : `${label} ${error}`}</p>`
}

const labelField = (form: FormState, name: SettingName, control: Markup): Markup =>
  html`<div class="field"><label for="${name}">${FIELDS[name][0]}</label>${control}${note(form, name)}</div>`

const OPTIONAL: readonly SettingName[] = ['secret', 'country']

export const textField = (form: FormState, name: SettingName): Markup => {
  const kind =
    name === 'password'
      ? html`type="password" autocomplete="new-password"`
      : html`type="text" autocomplete="off" value="${form.values[name] ?? ''}"`
  const required = !OPTIONAL.includes(name) && html` required`
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

const { birth, fields: PERSON } = ENGLISH.person

const fieldWords = (field: string): string => {
  const { label } = PERSON[field as keyof typeof PERSON] ?? { label: 'Privacy policy' }
  return field.startsWith('dob_') ? `${birth.title}: ${label.toLowerCase()}` : label
}

/**
 * What can be changed of every merchant, but the name, in the order in which errors are found. The
 * default product comes before the others, so that a browser sends it first. `fields`: those that
 * can be optional.
 */
export const merchantSettings = (form: FormState, fields: readonly string[]): Markup => {
  const { currency = '', products = '', optional_fields = '' } = form.values
  const offered = parseList(products)
  const currencies: Options = PRICED_CURRENCIES.map((code) => [code, code])
  const optional: Options = fields.map((field) => [field, fieldWords(field)])
  return html`<div class="columns">
${selectField(form, 'currency', currency, currencies)}
${selectField(form, 'products', offered[0] ?? '', PRODUCTS)}
${textField(form, 'country')}
</div>
<fieldset class="field"><legend class="field-name">Products</legend>
${checkboxes('products', offered, PRODUCTS)}</fieldset>
<input type="hidden" name="optional_fields" value="">
<details${form.errors.optional_fields && html` open`}><summary>${FIELDS.optional_fields[0]}</summary>
${checkboxes('optional_fields', parseList(optional_fields), optional)}
${note(form, 'optional_fields')}</details>
<input type="hidden" name="${ACTION_EVENTS}" value="">
${checkbox(ACTION_EVENTS, 'on', form.values[ACTION_EVENTS] === 'on', 'Send an event for each step of a shopper')}`
}

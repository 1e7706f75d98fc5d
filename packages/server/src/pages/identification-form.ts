// The hosted identification form holds every step of the checkout in one page, and its script shows one step at a time. The
// page holds all texts, so that the script holds none. Contract §3.
import type { CheckoutMetadata, PersonField } from '@plazo/core'
import { html } from 'hono/html'
import { END_NAMES, type FormTexts } from './form-texts.ts'
import type { Markup } from './page.ts'

type HostedForm = {
  readonly texts: FormTexts
  readonly metadata: CheckoutMetadata
  readonly optionalFields: readonly string[]
  readonly country: string | null
  /** The amount as the shopper reads it. */
  readonly total: string
  readonly productTitle: string
  readonly identificationUrl: string
  readonly waitUrl: string
  /** The global name of the card form's script. */
  readonly service: string
}

type Input = { readonly autocomplete: string; readonly inputmode?: string; readonly maxlength?: number }

const INPUTS: { readonly [field in PersonField]: Input } = {
  given_names: { autocomplete: 'given-name' },
  surnames: { autocomplete: 'family-name' },
  dob_day: { autocomplete: 'bday-day', inputmode: 'numeric', maxlength: 2 },
  dob_month: { autocomplete: 'bday-month', inputmode: 'numeric', maxlength: 2 },
  dob_year: { autocomplete: 'bday-year', inputmode: 'numeric', maxlength: 4 },
  mobile_phone: { autocomplete: 'tel', inputmode: 'tel' },
  nin: { autocomplete: 'off' },
  address: { autocomplete: 'address-line1' },
  postal_code: { autocomplete: 'postal-code' },
  city: { autocomplete: 'address-level2' },
}

const BIRTH: readonly PersonField[] = ['dob_day', 'dob_month', 'dob_year']

const wrongText = (field: string, text: string): Markup => html`<p class="wrong" id="${field}-wrong" hidden>${text}</p>`

const textOf = ({ texts, country }: HostedForm, field: PersonField) =>
  field === 'nin' && country === 'ES' ? texts.spanishNin : texts.fields[field]

const input = (form: HostedForm, field: PersonField, hint: string | null): Markup => {
  const { autocomplete, inputmode, maxlength } = INPUTS[field]
  return html`<input id="${field}" name="${field}" autocomplete="${autocomplete}"${
    inputmode === undefined ? '' : html` inputmode="${inputmode}"`
  }${maxlength === undefined ? '' : html` maxlength="${maxlength}"`}${
    hint === null ? '' : html` aria-describedby="${hint}" data-hint="${hint}"`
  }${form.optionalFields.includes(field) ? '' : html` required`}>`
}

const label = (form: HostedForm, field: PersonField): Markup =>
  html`<label for="${field}">${textOf(form, field).label}${
    form.optionalFields.includes(field) ? html` <span class="quiet">${form.texts.optional}</span>` : ''
  }</label>`

const fieldOf = (form: HostedForm, field: PersonField): Markup => {
  const { hint, wrong } = textOf(form, field)
  return html`<div class="field">
${label(form, field)}
${hint === undefined ? '' : html`<p class="hint" id="${field}-hint">${hint}</p>`}
${input(form, field, hint === undefined ? null : `${field}-hint`)}
${wrongText(field, wrong)}
</div>`
}

const birthDate = (form: HostedForm): Markup => html`<fieldset class="field">
<legend>${form.texts.birth.legend}</legend>
<p class="hint" id="dob-hint">${form.texts.birth.hint}</p>
<div class="parts">
${BIRTH.map((field) => html`<div>${label(form, field)}${input(form, field, 'dob-hint')}</div>`)}
</div>
${BIRTH.map((field) => wrongText(field, form.texts.fields[field].wrong))}
</fieldset>`

type Plan = CheckoutMetadata['credit_agreement'][number]

const planText = ({ plans }: FormTexts, plan: Plan): string => {
  const template =
    plan.down_payment_total.value === 0 ? plans.later : plan.instalment_count === 1 ? plans.now : plans.inParts
  const words: { readonly [name: string]: string } = {
    today: plan.down_payment_total.string,
    others: String(plan.instalment_count - 1),
    each: plan.instalment_total.string,
    cost: plan.cost_of_credit.string,
    total: plan.grand_total.string,
  }
  return template.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '')
}

const plansOf = ({ texts, metadata, productTitle }: HostedForm): Markup => html`<fieldset class="field">
<legend>${texts.plans.legend}: ${productTitle}</legend>
${metadata.credit_agreement.map(
  (plan) =>
    html`<label class="choice"><input type="radio" name="plan" value="${plan.instalment_count}"${
      plan.default ? html` checked` : ''
    }> <span>${planText(texts, plan)}</span></label>`,
)}
${wrongText('credit_agreement', texts.plans.wrong)}
</fieldset>`

const privacy = ({ texts: { privacy: text }, metadata }: HostedForm): readonly Markup[] =>
  metadata.checkboxes.map(
    ({ id, checked, required, url }) => html`<div class="field">
<label class="choice"><input type="checkbox" id="${id}" name="${id}"${checked ? html` checked` : ''}${
      required ? html` required` : ''
    }> <span>${text.before}<a href="${url}" target="_blank" rel="noopener">${text.link}</a>${text.after}</span></label>
${wrongText(id, text.wrong)}
</div>`,
  )

const step = (name: string, body: Markup): Markup => html`<section data-step="${name}" hidden>
${body}
</section>`

const heading = (text: string): Markup => html`<h2 tabindex="-1">${text}</h2>`

const person = (form: HostedForm): Markup => html`<section data-step="person">
<form id="person" novalidate data-product="${form.metadata.product_code}">
${plansOf(form)}
${(['given_names', 'surnames'] as const).map((field) => fieldOf(form, field))}
${birthDate(form)}
${(['mobile_phone', 'nin', 'address', 'postal_code', 'city'] as const).map((field) => fieldOf(form, field))}
${privacy(form)}
<button>${form.texts.send}</button>
</form>
</section>`

const code = ({ code: text }: FormTexts): Markup =>
  step(
    'code',
    html`<form id="code" novalidate>
${heading(text.title)}
<p id="code-text">${text.text}</p>
<div class="field">
<label for="validation_code">${text.label}</label>
<input id="validation_code" name="validation_code" autocomplete="one-time-code" inputmode="numeric" maxlength="5" required aria-describedby="code-text" data-hint="code-text">
${wrongText('validation_code', text.wrong)}
</div>
<button>${text.send}</button>
<button type="button" class="other" id="code-again">${text.again}</button>
<button type="button" class="other" id="code-back">${text.back}</button>
</form>`,
  )

const otherSteps = ({ texts }: HostedForm): readonly Markup[] => [
  code(texts),
  step('wait', html`${heading(texts.wait.title)}<p>${texts.wait.text}</p>`),
  step(
    'verify',
    html`${heading(texts.verify.title)}
<p id="verify-link"><a target="_blank" rel="noopener" href="#">${texts.verify.link}</a></p>
<div id="verify-failed" hidden><p>${texts.verify.failed}</p><button type="button" id="verify-again">${texts.verify.again}</button></div>`,
  ),
  step(
    'alternative',
    html`<form id="alternative" novalidate data-later="${texts.plans.later}" data-now="${texts.plans.now}" data-in-parts="${texts.plans.inParts}">
${heading(texts.alternative.title)}
<fieldset class="field"><legend>${texts.alternative.legend}</legend><div id="alternatives"></div></fieldset>
<button>${texts.alternative.send}</button>
</form>`,
  ),
  step(
    'pay',
    html`${heading(texts.pay.title)}
<p>${texts.pay.amount} <strong id="pay-amount"></strong></p>
<p id="pay-failed" class="wrong" role="alert" hidden>${texts.pay.failed}</p>
<div id="cards" data-saved="${texts.pay.saved}" data-other="${texts.pay.other}"></div>
<div id="card" data-title="${texts.pay.frame}"></div>`,
  ),
  ...END_NAMES.map((name) =>
    step(
      name,
      html`${heading(texts.ends[name].title)}
<p data-text>${texts.ends[name].text}</p>
<p data-back hidden><a href="#">${texts.back}</a></p>`,
    ),
  ),
]

/** Placed inside `main`. */
export const identificationForm = (form: HostedForm): Markup => {
  const { texts, total, identificationUrl, waitUrl, service } = form
  return html`<h1>${texts.title}</h1>
<p>${texts.total} <strong>${total}</strong></p>
<noscript><p class="wrong">${texts.needsScript}</p></noscript>
<div id="checkout" data-identification="${identificationUrl}" data-wait="${waitUrl}" data-service="${service}">
<p id="trouble" role="alert" data-fields="${texts.troubles.fields}" data-sending="${texts.troubles.sending}" data-too-many="${texts.troubles.tooMany}"></p>
${person(form)}
${otherSteps(form)}
</div>`
}

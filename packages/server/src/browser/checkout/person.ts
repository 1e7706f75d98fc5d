// The first step: a plan, the shopper's data and their consent. People write a day as 2 or as 02, and the endpoint accepts only
// one way, so this converts the fields first. Contract §4, Fields.
import type { PersonField } from '@plazo/core'
import { make, setAttributes } from '../shared/dom.ts'
import { type Context, headingOf, makeForm, type Step, showAndFocus } from './context.ts'
import { planChoice } from './plans.ts'

const INPUTS: { readonly [field in PersonField]: Readonly<Record<string, string>> } = {
  given_names: { autocomplete: 'given-name' },
  surnames: { autocomplete: 'family-name' },
  dob_day: { autocomplete: 'bday-day', inputmode: 'numeric', maxlength: '2' },
  dob_month: { autocomplete: 'bday-month', inputmode: 'numeric', maxlength: '2' },
  dob_year: { autocomplete: 'bday-year', inputmode: 'numeric', maxlength: '4' },
  mobile_phone: { autocomplete: 'tel', inputmode: 'tel' },
  nin: { autocomplete: 'off', class: 'capitals' },
  address: { autocomplete: 'address-line1' },
  postal_code: { autocomplete: 'postal-code' },
  city: { autocomplete: 'address-level2' },
}

const BIRTH = ['dob_day', 'dob_month', 'dob_year'] as const
const isBirth = (field: string): boolean => (BIRTH as readonly string[]).includes(field)

/** "2" becomes "02". */
const normalizeField = (field: string, typed: string): string =>
  (field === 'dob_day' || field === 'dob_month') && /^\s*\d\s*$/.test(typed) ? `0${typed.trim()}` : typed.trim()

export type Errors = Readonly<Record<string, string>>

export type PersonStep = Step & {
  readonly showErrors: (errors: Errors) => void
  /** Says why the data is asked for again. */
  readonly showReason: (isReloaded: boolean) => void
}

export const personStep = (context: Context): PersonStep => {
  const { texts, summary, metadata, checkout, trouble } = context
  const { person } = texts
  const inputs = new Map<string, HTMLInputElement>()
  const errorTexts = new Map<string, HTMLElement>()

  const isOptional = (field: string): boolean => summary.optional_fields.includes(field)
  const textOf = (field: PersonField): { label: string; hint?: string; wrong: string } =>
    field === 'nin' && summary.country === 'ES' ? person.spanishNin : person.fields[field]

  const errorOf = (id: string, text: string): HTMLElement => {
    const error = make('p', { class: 'wrong', id: `${id}-wrong`, hidden: '' }, text)
    errorTexts.set(id, error)
    return error
  }

  const inputOf = (field: string, attributes: Readonly<Record<string, string | null>>, hint: string | null) => {
    const input = make('input', {
      id: field,
      name: field,
      ...attributes,
      'data-hint': hint,
      'aria-describedby': hint,
      required: isOptional(field) ? null : '',
    })
    inputs.set(field, input)
    return input
  }

  const labelOf = (field: PersonField): HTMLElement =>
    make('label', { for: field }, [
      textOf(field).label,
      isOptional(field) ? make('span', { class: 'quiet' }, ` ${person.optional}`) : null,
    ])

  const fieldOf = (field: PersonField): HTMLElement => {
    const { hint, wrong } = textOf(field)
    return make('div', { class: `field ${field}` }, [
      labelOf(field),
      inputOf(field, INPUTS[field], hint === undefined ? null : `${field}-hint`),
      hint === undefined ? null : make('p', { class: 'hint', id: `${field}-hint` }, hint),
      errorOf(field, wrong),
    ])
  }

  const birth = make('fieldset', { class: 'field birth' }, [
    make('legend', { class: 'field-name' }, person.birth.title),
    make(
      'div',
      { class: 'parts' },
      BIRTH.map((field) =>
        make('div', { class: 'field' }, [labelOf(field), inputOf(field, INPUTS[field], 'birth-hint')]),
      ),
    ),
    make('p', { class: 'hint', id: 'birth-hint' }, person.birth.hint),
    errorOf('birth', person.birth.wrong),
  ])

  const consents = metadata.checkboxes.map(({ id, checked, required, url }) =>
    make('div', { class: 'field' }, [
      make('label', { class: 'choice' }, [
        inputOf(id, { type: 'checkbox', checked: checked ? '' : null, required: required ? '' : null }, null),
        make('span', {}, [
          person.privacy.before,
          make('a', { href: url, target: '_blank', rel: 'noopener' }, person.privacy.link),
          person.privacy.after,
        ]),
      ]),
      errorOf(id, person.privacy.wrong),
    ]),
  )

  const plans = planChoice(context, summary.plans, 'credit_agreement')

  const givenBy = ({ name, type, checked, value }: HTMLInputElement): string | boolean =>
    type === 'checkbox' ? checked : normalizeField(name, value)

  const submit = (): Promise<void> =>
    checkout.submit({
      credit_agreement: plans.chosen(),
      ...Object.fromEntries([...inputs].map(([field, input]) => [field, givenBy(input)])),
    })

  const reason = make('p', { class: 'note', hidden: '' }, person.again)
  const alert = make('p', { class: 'alert', role: 'alert' })
  const button = make('button', {}, person.send)
  const place = make('div', { class: 'actions' }, button)
  const form = makeForm(button, person.sending, submit, [
    plans.element,
    make('fieldset', { class: 'group-of-fields' }, [
      make('legend', { class: 'group' }, person.about),
      fieldOf('given_names'),
      fieldOf('surnames'),
      birth,
      fieldOf('mobile_phone'),
      fieldOf('nin'),
    ]),
    make('fieldset', { class: 'group-of-fields' }, [
      make('legend', { class: 'group' }, person.address),
      fieldOf('address'),
      fieldOf('postal_code'),
      fieldOf('city'),
    ]),
    ...consents,
    alert,
    place,
  ])

  const mark = (input: HTMLInputElement, errorId: string, isWrong: boolean): void =>
    setAttributes(input, {
      'aria-invalid': isWrong ? 'true' : null,
      'aria-describedby': [input.dataset.hint, isWrong && `${errorId}-wrong`].filter(Boolean).join(' ') || null,
    })

  const showErrors = (errors: Errors): void => {
    const wrongBirth = BIRTH.filter((field) => field in errors)
    for (const [field, input] of inputs) mark(input, isBirth(field) ? 'birth' : field, field in errors)
    for (const [id, error] of errorTexts) error.hidden = id === 'birth' ? wrongBirth.length === 0 : !(id in errors)
    // A date gets one sentence, no matter how many of its parts are wrong.
    const [wrongPart, ...others] = wrongBirth
    const isOnePart = wrongPart !== undefined && others.length === 0
    errorTexts.get('birth')?.replaceChildren((isOnePart ? person.fields[wrongPart] : person.birth).wrong)
    plans.markWrong('credit_agreement' in errors)
    // A screen reader says it once, and the focus goes to the first wrong field.
    alert.textContent = Object.keys(errors).length > 0 ? person.check : ''
    if ('credit_agreement' in errors) plans.focus()
    else showAndFocus(form.querySelector('[aria-invalid=true]'))
  }

  return {
    heading: headingOf(context, person.title),
    content: [reason, form],
    showErrors,
    showReason: (isReloaded) => {
      reason.hidden = !isReloaded
      place.append(trouble)
    },
  }
}

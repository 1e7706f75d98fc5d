// The first step: a plan, the shopper's data and their consent. People write a day as 2 or as 02,
// and the endpoint accepts only one way, so this converts the fields first. No field has a length:
// what is too long is cut before it could be converted. Contract §4, Fields.
import type { PersonField } from '@plazo/core/form-rules'
import { type Attributes, make, setAttributes } from '../../http/page/script/dom.ts'
import { type Context, headingOf, makeForm, type Step, showAndFocus } from './context.ts'
import { BIRTH, isBirth, isBirthDate, isRight, normalizeField } from './person-rules.ts'
import { choiceOf, planChoice } from './plans.ts'

const INPUTS: { readonly [field in PersonField]: Readonly<Record<string, string>> } = {
  given_names: { autocomplete: 'given-name' },
  surnames: { autocomplete: 'family-name' },
  dob_day: { autocomplete: 'bday-day', inputmode: 'numeric' },
  dob_month: { autocomplete: 'bday-month', inputmode: 'numeric' },
  dob_year: { autocomplete: 'bday-year', inputmode: 'numeric' },
  mobile_phone: { autocomplete: 'tel', inputmode: 'tel' },
  nin: { autocomplete: 'off', class: 'capitals' },
  address: { autocomplete: 'address-line1' },
  postal_code: { autocomplete: 'postal-code' },
  city: { autocomplete: 'address-level2' },
}

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
  const textOf = (field: PersonField): { label: string; hint?: string; wrong: string } => {
    if (field === 'surnames' && summary.surnames_needed === 2) return person.twoSurnames
    return field === 'nin' && summary.country === 'ES' ? person.spanishNin : person.fields[field]
  }

  const errorOf = (id: string, text: string): HTMLElement => {
    const error = make('p', { class: 'wrong', id: `${id}-wrong`, hidden: true }, text)
    errorTexts.set(id, error)
    return error
  }

  const inputOf = (field: string, attributes: Attributes, hint: string | null) => {
    const input = make('input', {
      id: field,
      name: field,
      ...attributes,
      'data-hint': hint,
      'aria-describedby': hint,
      required: !isOptional(field),
    })
    inputs.set(field, input)
    return input
  }

  const labelOf = (field: PersonField): HTMLElement =>
    make('label', { for: field }, [
      textOf(field).label,
      isOptional(field) && make('span', { class: 'quiet' }, ` ${person.optional}`),
    ])

  const fieldOf = (field: PersonField): HTMLElement => {
    const { hint, wrong } = textOf(field)
    return make('div', { class: `field ${field}` }, [
      labelOf(field),
      inputOf(field, INPUTS[field], hint === undefined ? null : `${field}-hint`),
      hint !== undefined && make('p', { class: 'hint', id: `${field}-hint` }, hint),
      errorOf(field, wrong),
    ])
  }

  const birth = make('fieldset', { class: 'field birth' }, [
    make('legend', { class: 'field-name' }, person.birth.title),
    make(
      'div',
      { class: 'parts' },
      BIRTH.map((field) =>
        make('div', { class: 'field' }, [
          labelOf(field),
          inputOf(field, INPUTS[field], 'birth-hint'),
        ]),
      ),
    ),
    make('p', { class: 'hint', id: 'birth-hint' }, person.birth.hint),
    errorOf('birth', person.birth.wrong),
  ])

  const consents = metadata.checkboxes.map(({ id, checked, url }) =>
    make('div', { class: 'field' }, [
      make('label', { class: 'choice' }, [
        inputOf(id, { type: 'checkbox', checked }, null),
        make('span', {}, [
          person.privacy.before,
          make('a', { href: url, target: '_blank', rel: 'noopener' }, person.privacy.link),
          person.privacy.after,
        ]),
      ]),
      errorOf(id, person.privacy.wrong),
    ]),
  )

  const plans = planChoice(context, summary.plans, 'credit_agreement', () => {
    if (wrongFields.size === 0) alert.textContent = ''
  })

  const valueIn = (field: string): string | boolean => {
    const { type, checked, value } = inputs.get(field) ?? make('input')
    return type === 'checkbox' ? checked : normalizeField(field, value)
  }

  const submit = (): Promise<void> => {
    const plan = plans.chosenPlan()
    context.plan = plan ?? null
    return checkout.submit({
      credit_agreement: plan && choiceOf(plan),
      ...Object.fromEntries([...inputs.keys()].map((field) => [field, valueIn(field)])),
    })
  }

  const reason = make('p', { class: 'note', hidden: true }, person.again)
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
      'aria-invalid': isWrong && 'true',
      'aria-describedby':
        [input.dataset.hint, isWrong && `${errorId}-wrong`].filter(Boolean).join(' ') || null,
    })

  /** The fields whose message is shown. */
  let wrongFields: ReadonlySet<string> = new Set()

  const showWrong = (fields: ReadonlySet<string>): void => {
    wrongFields = fields
    const wrongBirth = BIRTH.filter((field) => fields.has(field))
    for (const [field, input] of inputs)
      mark(input, isBirth(field) ? 'birth' : field, fields.has(field))
    for (const [id, error] of errorTexts)
      error.hidden = id === 'birth' ? wrongBirth.length === 0 : !fields.has(id)
    // A date gets one sentence, no matter how many of its parts are wrong.
    const [wrongPart, ...others] = wrongBirth
    const isOnePart = wrongPart !== undefined && others.length === 0
    errorTexts
      .get('birth')
      ?.replaceChildren((isOnePart ? person.fields[wrongPart] : person.birth).wrong)
    if (fields.size === 0) alert.textContent = ''
  }

  const isRightNow = (field: string): boolean => {
    const value = valueIn(field)
    if (typeof value === 'boolean') return value
    // Every field but the checkboxes is one of a person.
    return (value === '' && isOptional(field)) || isRight(summary, field as PersonField, value)
  }

  /**
   * The message of a field goes as soon as the field is right. Those of a date that has all its
   * parts go together.
   */
  const dropRightFields = (): void => {
    if (wrongFields.size === 0) return
    const isDate = BIRTH.every(isRightNow)
    const date = Object.fromEntries(BIRTH.map((field) => [field, String(valueIn(field))]))
    const isStillWrong = (field: string): boolean =>
      isBirth(field) && isDate ? !isBirthDate(date) : !isRightNow(field)
    showWrong(new Set([...wrongFields].filter(isStillWrong)))
  }
  form.addEventListener('input', dropRightFields)
  form.addEventListener('change', dropRightFields)

  const showErrors = (errors: Errors): void => {
    showWrong(new Set(Object.keys(errors).filter((field) => inputs.has(field))))
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

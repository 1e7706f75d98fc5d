// The first step: a plan, the shopper's data and their consent. People write a day as 2 or as 02,
// and the endpoint accepts only one way, so this converts the fields first. No field has a length:
// what is too long is cut before it could be converted. Contract §4, Fields.
import type { MerchantRules, PersonField } from '@plazo/core/form-rules'
import { type Attributes, make, setAttributes } from '../../http/page/script/dom.ts'
import { type Context, headingOf, makeForm, newTab, showAndFocus } from './context.ts'
import {
  BIRTH,
  isBirth,
  isBirthDate,
  isRecentYear,
  isRight,
  normalizeField,
} from './person-rules.ts'
import { choiceOf, planChoice } from './plans.ts'

const INPUTS: Readonly<Record<PersonField, Attributes>> = {
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

const ONE_SURNAME = 'one_surname'

export type Errors = Readonly<Record<string, string>>

export const personStep = (context: Context) => {
  const { texts, summary, metadata, checkout, trouble } = context
  const { person } = texts
  const inputs = new Map<string, HTMLInputElement>()
  /** The place of a field's message. A date has one for its three fields. */
  const messages = new Map<string, HTMLElement>()

  const merchantRules = (): MerchantRules =>
    inputs.get(ONE_SURNAME)?.checked ? { ...summary, surnames_needed: 1 } : summary
  const isOptional = (field: string): boolean => summary.optional_fields.includes(field)
  const textOf = (field: PersonField): { label: string; hint?: string; wrong: string } => {
    if (field === 'surnames' && merchantRules().surnames_needed === 2) return person.twoSurnames
    return field === 'nin' && summary.country === 'ES' ? person.spanishNin : person.fields[field]
  }

  const inputOf = (field: string, describedBy: string, attributes: Attributes): HTMLElement => {
    const input = make('input', {
      id: field,
      name: field,
      ...attributes,
      'aria-describedby': describedBy || null,
      required: field !== ONE_SURNAME && !isOptional(field),
    })
    inputs.set(field, input)
    return input
  }

  const messageOf = (id: string): HTMLElement => {
    const message = make('p.wrong', { id: `${id}-wrong` })
    messages.set(id, message)
    return message
  }

  const hintOf = (id: string, text: string): HTMLElement =>
    make('p.hint', { id: `${id}-hint` }, text)

  const labelOf = (field: PersonField): HTMLElement =>
    make(
      'label',
      { for: field },
      textOf(field).label,
      isOptional(field) && make('span.quiet', ` ${person.optional}`),
    )

  const fieldOf = (field: PersonField): HTMLElement => {
    const { hint } = textOf(field)
    return make(
      `div.field.${field}`,
      labelOf(field),
      inputOf(field, hint ? `${field}-hint ${field}-wrong` : `${field}-wrong`, INPUTS[field]),
      hint !== undefined && hintOf(field, hint),
      messageOf(field),
      field === 'surnames' && summary.one_surname && oneSurname(),
    )
  }
  const oneSurname = (): HTMLElement =>
    make(
      'label.choice',
      inputOf(ONE_SURNAME, '', { type: 'checkbox' }),
      make('span', person.oneSurname),
    )

  const birthPart = (field: PersonField): HTMLElement =>
    make('div.field', labelOf(field), inputOf(field, 'birth-hint birth-wrong', INPUTS[field]))
  const birth = make(
    'fieldset.field.birth',
    make('legend.field-name', person.birth.title),
    make('div.parts', BIRTH.map(birthPart)),
    hintOf('birth', person.birth.hint),
    messageOf('birth'),
  )

  const consents = metadata.checkboxes.map(({ id, checked, url }) =>
    make(
      'div.field',
      make(
        'label.choice',
        inputOf(id, `${id}-wrong`, { type: 'checkbox', checked }),
        make('span', person.privacy.before, newTab(url, person.privacy.link), person.privacy.after),
      ),
      messageOf(id),
    ),
  )

  const plans = planChoice(context, summary.plans, 'credit_agreement', () => {})

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

  const groupOf = (title: string, ...fields: readonly HTMLElement[]): HTMLElement =>
    make('fieldset.group-of-fields', make('legend.group', title), fields)
  const reason = make('p.note', person.again)
  const alert = make('p.alert', { role: 'alert' })
  const button = make('button', person.send)
  const form = makeForm(button, person.sending, submit, [
    plans.element,
    groupOf(
      person.about,
      fieldOf('given_names'),
      fieldOf('surnames'),
      birth,
      fieldOf('mobile_phone'),
      fieldOf('nin'),
    ),
    groupOf(person.address, fieldOf('address'), fieldOf('postal_code'), fieldOf('city')),
    ...consents,
    alert,
    make('div.actions', button),
  ])

  /** The fields whose message is shown. */
  let wrongFields: readonly string[] = []

  const messageFor = (id: string): string => {
    // Enough codes were sent to a number that is right.
    if (id === 'mobile_phone' && isRightNow(id)) return person.noMoreCodes
    if (id !== 'birth') return id in INPUTS ? textOf(id as PersonField).wrong : person.privacy.wrong
    // A date gets one sentence, no matter how many of its parts are wrong.
    const [part, ...others] = wrongFields.filter(isBirth)
    if (part === 'dob_year' && others.length === 0 && isRecentYear(String(valueIn(part))))
      return person.tooYoung
    return (part !== undefined && others.length === 0 ? person.fields[part] : person.birth).wrong
  }

  const showWrong = (fields: readonly string[]): void => {
    wrongFields = fields
    for (const [field, input] of inputs)
      setAttributes(input, { 'aria-invalid': fields.includes(field) && 'true' })
    for (const [id, message] of messages) {
      const isWrong = id === 'birth' ? fields.some(isBirth) : fields.includes(id)
      message.textContent = isWrong ? messageFor(id) : ''
    }
  }

  const isRightNow = (field: string): boolean => {
    const value = valueIn(field)
    if (typeof value === 'boolean') return value
    // Every field but the checkboxes is one of a person.
    return (
      (value === '' && isOptional(field)) || isRight(merchantRules(), field as PersonField, value)
    )
  }

  /**
   * The message of a field goes as soon as the field is right. Those of a date that has all its
   * parts go together.
   */
  const dropRightFields = (): void => {
    const isDate = BIRTH.every(isRightNow)
    const date = Object.fromEntries(BIRTH.map((field) => [field, String(valueIn(field))]))
    const isStillWrong = (field: string): boolean =>
      isBirth(field) && isDate ? !isBirthDate(date) : !isRightNow(field)
    showWrong(wrongFields.filter(isStillWrong))
    if (form.querySelector('[aria-invalid=true]') === null) alert.textContent = ''
  }
  setAttributes(form, { oninput: dropRightFields, onchange: dropRightFields })

  return {
    heading: headingOf(context, person.title),
    content: [reason, form],
    /** Marks the wrong fields. `isReloaded`: says why the data is asked for again. */
    show: (errors: Errors, isReloaded: boolean): void => {
      reason.hidden = !isReloaded
      button.after(trouble)
      const names = Object.keys(errors)
      showWrong(names.filter((field) => inputs.has(field)))
      plans.markWrong(names.includes('credit_agreement'))
      // A screen reader says it once, and the focus goes to the first wrong field.
      alert.textContent = names.length > 0 ? person.check : ''
      showAndFocus(form.querySelector('[aria-invalid=true]'))
    },
  }
}

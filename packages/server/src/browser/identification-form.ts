// Drives the hosted identification form: it submits what the shopper typed and shows the part of the page that the next action
// requires. It keeps the typed data only in this page, to submit it again when the checkout asks for that.
import type { IdentificationAction, OfferedAgreement, WaitAction } from '@plazo/core'
import type { CardForm, CardFormSdk } from './card-form.ts'

type Action = IdentificationAction | WaitAction
type Named<Name extends Action['action']> = Extract<Action, { readonly action: Name }>
type Errors = Readonly<Record<string, string>>
type Submission = Readonly<Record<string, unknown>>

// The page that includes this script has every element and every data attribute that it uses.
const byId = <E extends HTMLElement = HTMLElement>(id: string): E => document.getElementById(id) as E
const checkout = byId('checkout')
const { identification = '', wait = '', service = '' } = checkout.dataset
const person = byId<HTMLFormElement>('person')
const trouble = byId('trouble')

const POLL = 1_500
const SLOW_POLL = 5_000

// The last submission, without a code. Null before the first one, and after the page was reloaded.
let submitted: Submission | null = null
// An answer to an earlier turn is ignored: another request was made since.
let turn = 0
let timer: number | undefined

const pollIn = (millis: number): void => {
  clearTimeout(timer)
  timer = setTimeout(poll, millis)
}

// A refusal is an answer other than 200, or the error if there was no answer.
const pollAfter = (refusal: unknown): void => {
  const seconds = refusal instanceof Response ? Number(refusal.headers.get('retry-after')) || 0 : 0
  pollIn(Math.max(SLOW_POLL, 1_000 * seconds))
}

const showTrouble = (refusal: unknown): void => {
  const isTooMany = refusal instanceof Response && refusal.status === 429
  trouble.textContent = trouble.dataset[isTooMany ? 'tooMany' : 'sending'] ?? ''
}

const request = async (url: string, init: RequestInit = {}): Promise<Action> => {
  const answer = await fetch(url, { credentials: 'omit', ...init })
  if (!answer.ok) throw answer
  return answer.json()
}

const poll = async (): Promise<void> => {
  clearTimeout(timer)
  const own = ++turn
  try {
    const action = await request(wait)
    if (own === turn) act(action)
  } catch (refusal) {
    if (own === turn) pollAfter(refusal)
  }
}

let isSending = false
const submit = async (extra: Submission = {}, onTrouble = showTrouble): Promise<void> => {
  if (isSending) return
  isSending = true
  checkout.setAttribute('aria-busy', 'true')
  trouble.textContent = ''
  clearTimeout(timer)
  const own = ++turn
  try {
    const action = await request(identification, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...submitted, ...extra }),
    })
    isSending = false
    if (own === turn) act(action)
  } catch (refusal) {
    onTrouble(refusal)
  } finally {
    isSending = false
    checkout.removeAttribute('aria-busy')
  }
}

const stepOf = (name: string): HTMLElement => document.querySelector(`[data-step=${name}]`) as HTMLElement

/** Focuses the heading of the new step, so that shoppers who cannot see the page notice the change. */
const show = (name: string): HTMLElement => {
  const step = stepOf(name)
  if (!step.hidden) return step
  for (const other of document.querySelectorAll<HTMLElement>('[data-step]')) other.hidden = other !== step
  if (name !== 'pay') unmount()
  step.querySelector('h2')?.focus()
  return step
}

const setOrRemove = (element: Element, name: string, value: string): void =>
  value === '' ? element.removeAttribute(name) : element.setAttribute(name, value)

const mark = (form: HTMLFormElement, errors: Errors): void => {
  for (const text of form.querySelectorAll<HTMLElement>('.wrong')) {
    const name = text.id.slice(0, -'-wrong'.length)
    const isWrong = name in errors
    const input = document.getElementById(name) ?? (form.querySelector('[name=plan]') as HTMLElement)
    const described = [input.dataset.hint, ...(isWrong ? [text.id] : [])].filter(Boolean).join(' ')
    text.hidden = !isWrong
    setOrRemove(input, 'aria-invalid', isWrong ? 'true' : '')
    setOrRemove(input, 'aria-describedby', described)
  }
  // A screen reader announces the error once, and the focus moves to the first wrong field.
  trouble.textContent = Object.keys(errors).length > 0 ? (trouble.dataset.fields ?? '') : ''
  form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

const showPerson = (errors: Errors = {}): void => {
  const wasHidden = stepOf('person').hidden
  show('person')
  mark(person, errors)
  if (wasHidden && Object.keys(errors).length === 0) person.querySelector('input')?.focus()
}

const codeForm = byId<HTMLFormElement>('code')
const codeInput = byId<HTMLInputElement>('validation_code')
const showCode = (errors: Errors = {}) => {
  if (submitted === null) return showPerson()
  codeInput.value = ''
  show('code')
  mark(codeForm, errors)
}

const showWait = (): void => {
  show('wait')
  pollIn(POLL)
}

const submitAgain = () => (submitted === null ? showPerson() : submit())
// The shopper pressed nothing and has no button to press. If this submission fails, the next poll asks again.
const resume = () => (submitted === null ? showPerson() : submit({}, pollAfter))

type EndParts = { readonly return_url?: string; readonly messages?: readonly string[] }

const showEnd = (name: string, { return_url: back, messages = [] }: EndParts = {}): void => {
  trouble.textContent = ''
  const step = show(name)
  if (messages.length > 0) step.querySelector('[data-text]')?.replaceChildren(messages.join(' '))
  const link = step.querySelector<HTMLElement>('[data-back]')
  if (link === null || back === undefined) return
  link.hidden = false
  link.querySelector('a')?.setAttribute('href', back)
}

const showVerification = ({ session_url: url, status }: Named<'wait_for_id_verification'>) => {
  if (status === 'VERIFIED' || status === 'FAILED') return showWait()
  byId('verify-link').hidden = status === 'ERROR'
  byId('verify-failed').hidden = status !== 'ERROR'
  byId('verify-link').querySelector('a')?.setAttribute('href', url)
  show('verify')
  pollIn(POLL)
}

const filled = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? '')

const planText = (plan: OfferedAgreement): string => {
  const { later = '', now = '', inParts = '' } = byId('alternative').dataset
  const { down_payment_total: today, instalment_total: each, cost_of_credit: cost, grand_total: total } = plan
  const template = today.value === 0 ? later : plan.instalment_count === 1 ? now : inParts
  const others = String(plan.instalment_count - 1)
  return filled(template, { today: today.string, others, each: each.string, cost: cost.string, total: total.string })
}

const choice = (plan: OfferedAgreement, index: number): HTMLElement => {
  const label = Object.assign(document.createElement('label'), { className: 'choice' })
  const radio = { type: 'radio', name: 'alternative', value: String(index), checked: index === 0 }
  const text = Object.assign(document.createElement('span'), { textContent: planText(plan) })
  label.append(Object.assign(document.createElement('input'), radio), text)
  return label
}

let alternatives: readonly OfferedAgreement[] = []
// Only the wait endpoint lists the plans.
const showAlternatives = (action: Named<'alt_payment'>) => ('credit_agreements' in action ? showPlans(action) : poll())

const showPlans = (offer: Extract<Action, { readonly credit_agreements: unknown }>): void => {
  const { credit_agreements: plans, forced_credit_agreement_index: forced } = offer
  alternatives = forced === null ? plans : plans.slice(forced, forced + 1)
  byId('alternatives').replaceChildren(...alternatives.map(choice))
  show('alternative')
}

let mounted: CardForm | null = null
let paymentUrl: string | null = null

const unmount = (): void => {
  mounted?.remove()
  mounted = null
  paymentUrl = null
}

const mount = (url: string): void => {
  mounted?.remove()
  const place = byId('card')
  // The script before this one has set this global. The service chooses its name.
  const sdk = (window as unknown as Readonly<Record<string, CardFormSdk>>)[service]
  const paymentFailed = (): void => {
    // The next attempt has its own form.
    unmount()
    byId('pay-failed').hidden = false
    poll()
  }
  mounted = sdk?.cardForm(place, url, { paymentSuccessful: showWait, paymentFailed }) ?? null
  place.querySelector('iframe')?.setAttribute('title', place.dataset.title ?? '')
}

const cardButton = (text: string, url: string): HTMLButtonElement => {
  const attributes = { type: 'button', className: 'other', textContent: text } as const
  const button = Object.assign(document.createElement('button'), attributes)
  button.addEventListener('click', () => mount(url))
  return button
}

const showPayment = ({ iframe_url: url, reusable_cards: saved, amount }: Named<'require_payment'>): void => {
  pollIn(SLOW_POLL)
  // Keeps what the shopper is typing.
  if (paymentUrl === url) return
  const cards = byId('cards')
  if (stepOf('pay').hidden) byId('pay-failed').hidden = true
  byId('pay-amount').textContent = amount.string
  const { saved: label = '', other = '' } = cards.dataset
  const buttons = saved.map((card) =>
    cardButton(filled(label, { pan: card.masked_pan, expiry: card.expiry_month_year }), card.iframe_url),
  )
  cards.replaceChildren(...buttons, ...(saved.length > 0 ? [cardButton(other, url)] : []))
  show('pay')
  mount(url)
  paymentUrl = url
}

const SHOW: { readonly [Name in Action['action']]: (action: Named<Name>) => unknown } = {
  show_identification_form: (action) => {
    const errors = 'errors' in action ? action.errors : {}
    return 'validation_code' in errors ? showCode(errors) : showPerson(errors)
  },
  require_validate_otp: () => showCode(),
  wait_for_screening: showWait,
  wait_for_confirmation: showWait,
  wait_for_on_hold: showWait,
  resume_after_screening: resume,
  wait_for_id_verification: showVerification,
  alt_payment: showAlternatives,
  require_payment: showPayment,
  // Only the wait endpoint gives `return_url`.
  show_on_hold: (action) => ('return_url' in action ? showEnd('hold', action) : poll()),
  finish: (action) => {
    showEnd('finish', action)
    location.assign(action.return_url)
  },
  show_conflict: () => showEnd('conflict'),
  reject: () => showEnd('reject'),
  show_error: (action) => showEnd('error', action),
}

// Each action goes to the function of its own name, which the compiler cannot see.
const act = (action: Action): unknown => (SHOW[action.action] as (action: Action) => unknown)(action)

person.addEventListener('submit', (event) => {
  event.preventDefault()
  const inputs = [...person.querySelectorAll('input')].filter(({ type }) => type !== 'radio')
  submitted = {
    credit_agreement: {
      product: person.dataset.product,
      instalment_count: Number(person.querySelector<HTMLInputElement>('[name=plan]:checked')?.value),
    },
    ...Object.fromEntries(
      inputs.map(({ name, type, checked, value }) => [name, type === 'checkbox' ? checked : value]),
    ),
  }
  submit()
})

codeForm.addEventListener('submit', (event) => {
  event.preventDefault()
  submit({ validation_code: codeInput.value.trim() })
})
byId('code-again').addEventListener('click', () => submit())
byId('code-back').addEventListener('click', () => showPerson())
byId('verify-again').addEventListener('click', submitAgain)

const alternativeForm = byId<HTMLFormElement>('alternative')
alternativeForm.addEventListener('submit', (event) => {
  event.preventDefault()
  const plan = alternatives[Number(new FormData(alternativeForm).get('alternative'))]
  if (submitted !== null && plan !== undefined)
    submitted = { ...submitted, credit_agreement: { product: plan.product, instalment_count: plan.instalment_count } }
  submitAgain()
})

// The checkout may be ahead of its form, for example after the page was reloaded.
poll()

// Runs the pages inside the card form's iframe that plazo itself shows: the card form, the bank's
// 3-D Secure question, and the page of an error. They report to the page around them by
// messages of JSON text. Contract §11, Card form.
import { numberAsSeen } from '@plazo/core/form-rules'
import { sayIn, withoutSeparators } from '../../../http/page/script/dom.ts'
import { CARD_TEXTS } from './card-texts.ts'

/** The answer to a post, which is passed on to the page around this one. */
type Message = { readonly action: string; readonly error?: string; readonly src?: string }

// Every page in the frame has a form and a status line. The form names its page: `card`, `bank` or
// `error`.
const form = document.querySelector('form') as HTMLFormElement
const status = document.querySelector('[role=status]') as HTMLElement
const { service, page } = form.dataset
const texts = CARD_TEXTS[document.documentElement.lang === 'es' ? 'es' : 'en']
type FieldName = keyof typeof texts.wrong

const send = (message: object): void => parent.postMessage(JSON.stringify(message), '*')

/** `name`: without the service's prefix. */
const report = (name: string, rest: object = {}): void =>
  send({ action: `${service}.${name}`, ...rest })

const say = sayIn(status)

/** In place of an answer, if the server does not accept the post. */
const UNREACHABLE: Message = {
  action: `${service}.payment_failed`,
  error: 'The payment could not be made.',
}

/** Posts to this page's own address. */
const post = async (body: URLSearchParams): Promise<Message> => {
  try {
    const answer = await fetch(location.href, { method: 'POST', body })
    if (answer.ok) return await answer.json()
  } catch {}
  return UNREACHABLE
}

/**
 * Ends the page. The error in `message` is in English, for the shop's program. The shopper reads it
 * in their language.
 */
const end = (message: Message): void => {
  send(message)
  const hasFailed = message.error !== undefined
  form.hidden ||= !hasFailed
  say(hasFailed ? (message === UNREACHABLE ? texts.failed : texts.declined) : texts.paid, hasFailed)
  if (form.hidden) status.focus()
}

const buttons = [...form.querySelectorAll('button')]
const isBusy = (): boolean => buttons.some((button) => button.getAttribute('aria-busy') === 'true')

const answerBank = async (button: HTMLButtonElement): Promise<void> => {
  if (isBusy()) return
  button.setAttribute('aria-busy', 'true')
  const message = await post(new URLSearchParams({ status: button.value }))
  form.hidden = true
  end(message)
}

const fields = [...form.querySelectorAll<HTMLInputElement>('input:not([type=checkbox])')]

/**
 * "1239", "12/39", "12 39" and "1/39" as MM/YY; null if it is no month and year. The endpoint takes
 * only MM/YY.
 */
const expiryOf = (typed: string): string | null => {
  const text = numberAsSeen(typed)
  const [, month = '', year = ''] =
    /^\s*(0[1-9]|1[0-2])(\d\d)\s*$/.exec(text) ??
    /^\s*(0?[1-9]|1[0-2])\s*[/\s.-]\s*(?:20)?(\d\d)\s*$/.exec(text) ??
    []
  return month === '' ? null : `${month.padStart(2, '0')}/${year}`
}

const IS_RIGHT: { readonly [name in FieldName]: (typed: string) => boolean } = {
  number: (typed) => /^\d{13,19}$/.test(withoutSeparators(typed)),
  expiry: (typed) => expiryOf(typed) !== null,
  cvc: (typed) => /^\d{3,4}$/.test(withoutSeparators(typed)),
}

// The page's fields have these names.
const nameOf = (field: HTMLInputElement): FieldName => field.name as FieldName
const isRight = (field: HTMLInputElement): boolean => IS_RIGHT[nameOf(field)](field.value)

const mark = (field: HTMLInputElement, isWrong: boolean): void => {
  field.setAttribute('aria-invalid', String(isWrong))
  const place = document.getElementById(`${field.name}-wrong`)
  if (place) place.textContent = isWrong ? texts.wrong[nameOf(field)] : ''
}

const refuse = (): void => {
  for (const field of fields) mark(field, !isRight(field))
  say(texts.check, true)
  fields.find((field) => !isRight(field))?.focus()
  report('invalid_form')
}

const pay = async (): Promise<void> => {
  const [button] = buttons
  if (button === undefined || isBusy()) return
  if (!fields.every(isRight)) return refuse()
  for (const field of fields) mark(field, false)
  say('')
  const label = button.textContent
  button.setAttribute('aria-busy', 'true')
  button.textContent = texts.paying
  report('payment_submitted')
  const values = [...new FormData(form)].map(([name, value]) => {
    const typed = String(value)
    return [name, name === 'expiry' ? (expiryOf(typed) ?? typed) : withoutSeparators(typed)]
  })
  const message = await post(new URLSearchParams(values))
  button.setAttribute('aria-busy', 'false')
  button.textContent = label
  if (message.action === `${service}.invalid_form`) return refuse()
  if (message.src === undefined) return end(message)
  send(message)
  location.assign(message.src)
}

let wasFulfilled = false
const reportFulfilled = (): void => {
  const isFulfilled = fields.every(isRight)
  if (isFulfilled && !wasFulfilled) report('card_data_fulfilled')
  wasFulfilled = isFulfilled
}

const startCardForm = (): void => {
  form.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && fields.includes(target) && isRight(target))
      mark(target, false)
    if (fields.every((field) => field.getAttribute('aria-invalid') !== 'true')) say('')
    reportFulfilled()
  })
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return
    try {
      if (JSON.parse(data).action === `${service}.iframe_submit`) void pay()
    } catch {}
  })
  report('form_loaded')
  // A fast typist may have begun before this script did.
  reportFulfilled()
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (page === 'card') void pay()
  else if (page === 'error')
    report('payment_failed', { error: 'The payment form is not available.' })
})
// Safari before 15.4 does not say which button submits a form.
if (page === 'bank')
  for (const button of buttons) button.addEventListener('click', () => void answerBank(button))
// Without a page around it, nobody would hear of the error.
if (page === 'error' && parent === window) form.querySelector('button')?.remove()
// Until now they were disabled: without this script, a browser would show the message for the page
// around it.
for (const button of buttons) button.disabled = false
if (page === 'card') startCardForm()

// In a frame whose sandbox attribute lacks `allow-same-origin`, the page has no origin, so the server
// refuses what it posts.
if (page !== 'error' && origin === 'null') {
  form.hidden = true
  say(texts.locked, true)
  report('payment_failed', {
    error: 'The frame of the payment needs allow-same-origin in its sandbox attribute.',
  })
}

// When the page grows or shrinks, it reports the height of its body.
new ResizeObserver(() =>
  report('resized', { height: Math.ceil(document.body.getBoundingClientRect().height) }),
).observe(document.body, { box: 'border-box' })

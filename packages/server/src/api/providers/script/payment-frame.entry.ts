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
const buttons = form.querySelectorAll('button')
const fields = [...form.querySelectorAll<HTMLInputElement>('input:not([type=checkbox])')]
const { service, page } = form.dataset
const texts = CARD_TEXTS[document.documentElement.lang === 'es' ? 'es' : 'en']
const say = sayIn(status)

const send = (message: object): void => parent.postMessage(JSON.stringify(message), '*')

/** `name`: without the service's prefix. */
const report = (name: string, rest: object = {}): void =>
  send({ action: `${service}.${name}`, ...rest })

/** In place of an answer, if the server does not accept the post. */
const UNREACHABLE: Message = {
  action: `${service}.payment_failed`,
  error: 'The payment could not be made.',
}

/** Posts to this page's own address. */
const post = async (body: Record<string, string>): Promise<Message> => {
  try {
    const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams(body) })
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

// "1239", "12/39", "12 39" and "1/39". The endpoint takes only MM/YY.
const EXPIRY = /^\s*(0[1-9]|1[0-2]|[1-9](?=\D))[/\s.-]*(?:20)?(\d\d)\s*$/

/** What the endpoint takes for what was typed; null if it is wrong. */
const readField = ({ name, value }: HTMLInputElement): string | null => {
  if (name === 'expiry') {
    const [, month, year] = EXPIRY.exec(numberAsSeen(value)) ?? []
    return month === undefined ? null : `${month.padStart(2, '0')}/${year}`
  }
  const digits = withoutSeparators(value)
  return (name === 'cvc' ? /^\d{3,4}$/ : /^\d{13,19}$/).test(digits) ? digits : null
}

const isRight = (field: HTMLInputElement): boolean => readField(field) !== null

const mark = (field: HTMLInputElement, isWrong: boolean): void => {
  field.setAttribute('aria-invalid', String(isWrong))
  const place = document.getElementById(`${field.name}-wrong`)
  // The page's fields have these names.
  if (place) place.textContent = isWrong ? texts.wrong[field.name as keyof typeof texts.wrong] : ''
}

const refuse = (): void => {
  for (const field of fields) mark(field, !isRight(field))
  say(texts.check, true)
  fields.find((field) => !isRight(field))?.focus()
  report('invalid_form')
}

let isPaying = false

const pay = async (): Promise<void> => {
  const [button] = buttons
  if (button === undefined || isPaying) return
  if (!fields.every(isRight)) return refuse()
  for (const field of fields) mark(field, false)
  say('')
  const label = button.textContent
  isPaying = true
  button.setAttribute('aria-busy', 'true')
  button.textContent = texts.paying
  report('payment_submitted')
  const isSaved = form.querySelector<HTMLInputElement>('[type=checkbox]')?.checked
  const message = await post({
    ...Object.fromEntries(fields.map((field) => [field.name, readField(field) ?? ''])),
    ...(isSaved && { save: 'on' }),
  })
  isPaying = false
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
  for (const field of fields)
    field.addEventListener('input', () => {
      if (isRight(field)) mark(field, false)
      if (form.querySelector('[aria-invalid=true]') === null) say('')
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
for (const button of buttons) {
  // Until now they were disabled: without this script, a browser would show the message for the page
  // around it.
  button.disabled = false
  // Without a page around it, nobody would hear of the error.
  if (page === 'error' && parent === window) button.remove()
  // Safari before 15.4 does not say which button submits a form.
  if (page === 'bank')
    button.addEventListener('click', async () => {
      form.hidden = true
      end(await post({ status: button.value }))
    })
}
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

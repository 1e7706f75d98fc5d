// Runs the pages inside the card form's iframe that plazo itself shows: the card form, the bank's
// 3-D Secure question, and the page of an error. They report to the page around them by
// messages of JSON text. Contract §11, Card form.
import { sayIn } from '../../../http/page/script/dom.ts'
import { brandName, groupDigits, isWhole, readField } from './card-fields.ts'
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

const isRight = (field: HTMLInputElement): boolean => readField(field).wrong === null

/** `wrong`: what is said at the field; null: it is right. */
const mark = (field: HTMLInputElement, { wrong } = readField(field)): void => {
  field.setAttribute('aria-invalid', String(wrong !== null))
  const place = document.getElementById(`${field.name}-wrong`)
  if (place) place.textContent = wrong === null ? '' : texts.wrong[wrong]
}

const refuse = (): void => {
  for (const field of fields) mark(field)
  say(texts.check, true)
  fields.find((field) => !isRight(field))?.focus()
  report('invalid_form')
}

/** Groups the digits, and leaves the caret behind the digit where it was. */
const groupNumber = (field: HTMLInputElement): void => {
  const before = field.value.slice(0, field.selectionStart ?? 0).replace(/\D/g, '').length
  const grouped = groupDigits(field.value)
  if (grouped === field.value) return
  field.value = grouped
  let caret = 0
  for (let digits = 0; digits < before && caret < grouped.length; caret++)
    if (grouped[caret] !== ' ') digits++
  field.setSelectionRange(caret, caret)
}

const showBrand = ({ name, value }: HTMLInputElement): void => {
  const place = document.getElementById('brand')
  if (place && name === 'number') place.textContent = brandName(value)
}

let isPaying = false

const pay = async (): Promise<void> => {
  const [button] = buttons
  if (button === undefined || isPaying) return
  if (!fields.every(isRight)) return refuse()
  for (const field of fields) mark(field)
  say('')
  const label = button.textContent
  isPaying = true
  button.setAttribute('aria-busy', 'true')
  button.textContent = texts.paying
  report('payment_submitted')
  const isSaved = form.querySelector<HTMLInputElement>('[type=checkbox]')?.checked
  const message = await post({
    ...Object.fromEntries(fields.map((field) => [field.name, readField(field).value])),
    ...(isSaved && { save: 'on' }),
  })
  isPaying = false
  button.setAttribute('aria-busy', 'false')
  button.textContent = label
  if (message.action === `${service}.invalid_form`) {
    refuse()
    const expiry = fields.find(({ name }) => name === 'expiry')
    // By the clock of the service the month may be over.
    if (expiry && fields.every(isRight)) mark(expiry, { value: '', wrong: 'expired' })
    return
  }
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
  for (const field of fields) {
    showBrand(field)
    field.addEventListener('change', () => field.value !== '' && mark(field))
    field.addEventListener('input', (event) => {
      const { isComposing } = event as InputEvent // An `input` event of a text field is one.
      if (field.name === 'number' && !isComposing) groupNumber(field)
      showBrand(field)
      if (isRight(field) || isWhole(field)) mark(field)
      if (form.querySelector('[aria-invalid=true]') === null) say('')
      reportFulfilled()
    })
  }
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

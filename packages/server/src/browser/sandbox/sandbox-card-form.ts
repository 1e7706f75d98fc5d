// Simulates a provider's card form in the sandbox: it checks the fields, pays, and leads to the bank's question.
import { enableButtons, form, post, report, say, send, service, showEnd, texts } from './frame.ts'

type FieldName = keyof typeof texts.card.wrong

const fields = [...form.querySelectorAll<HTMLInputElement>('input:not([type=checkbox])')]
const button = form.querySelector('button') as HTMLButtonElement
let isBusy = false
let wasFulfilled = false

/** "1239", "12/39", "12 39" and "1/39" as MM/YY; null if it is no month and year. The endpoint takes only MM/YY. */
const expiryOf = (typed: string): string | null => {
  const [, month = '', year = ''] =
    /^\s*(0[1-9]|1[0-2])(\d\d)\s*$/.exec(typed) ??
    /^\s*(0?[1-9]|1[0-2])\s*[/\s.-]\s*(?:20)?(\d\d)\s*$/.exec(typed) ??
    []
  return month === '' ? null : `${month.padStart(2, '0')}/${year}`
}

const IS_RIGHT: { readonly [name in FieldName]: (typed: string) => boolean } = {
  number: (typed) => /^\s*(\d[ -]*){13,19}\s*$/.test(typed),
  expiry: (typed) => expiryOf(typed) !== null,
  cvc: (typed) => /^\s*\d{3,4}\s*$/.test(typed),
}

// The page's fields have these names.
const nameOf = (field: HTMLInputElement): FieldName => field.name as FieldName
const isRight = (field: HTMLInputElement): boolean => IS_RIGHT[nameOf(field)](field.value)

const mark = (field: HTMLInputElement, isWrong: boolean): void => {
  field.setAttribute('aria-invalid', String(isWrong))
  const place = document.getElementById(`${field.name}-wrong`)
  if (place) place.textContent = isWrong ? texts.card.wrong[nameOf(field)] : ''
}

const refuse = (): void => {
  for (const field of fields) mark(field, !isRight(field))
  say(texts.card.check, true)
  fields.find((field) => !isRight(field))?.focus()
  report('invalid_form')
}

const showBusy = (busy: boolean): void => {
  isBusy = busy
  button.setAttribute('aria-busy', String(busy))
  button.textContent = busy ? texts.card.paying : texts.card.pay
}

const submit = async (): Promise<void> => {
  if (isBusy) return
  if (!fields.every(isRight)) return refuse()
  for (const field of fields) mark(field, false)
  say('')
  showBusy(true)
  report('payment_submitted')
  const values = [...new FormData(form)].map(([name, value]) => {
    const typed = String(value)
    return [name, name === 'expiry' ? (expiryOf(typed) ?? typed) : typed]
  })
  const message = await post(new URLSearchParams(values))
  showBusy(false)
  if (message.action === `${service}.invalid_form`) return refuse()
  send(message)
  if (message.src !== undefined) return location.assign(message.src)
  showEnd(message)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  submit()
})

const reportFulfilled = (): void => {
  const isFulfilled = fields.every(isRight)
  if (isFulfilled && !wasFulfilled) report('card_data_fulfilled')
  wasFulfilled = isFulfilled
}

form.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && fields.includes(target) && isRight(target)) mark(target, false)
  reportFulfilled()
})

addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  try {
    if (JSON.parse(data).action === `${service}.iframe_submit`) submit()
  } catch {}
})

enableButtons()
report('form_loaded')
// A fast typist may have begun before this script did.
reportFulfilled()

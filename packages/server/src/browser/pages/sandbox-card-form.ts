// Simulates a provider's card form in the sandbox: it checks the fields, pays, and leads to the bank's question.
import { form, post, report, send, service, showEnd, status } from './sandbox-frame.ts'

const fields = [...form.querySelectorAll('input')]
let isBusy = false
let wasFulfilled = false

const markFields = (): void => {
  for (const field of fields) field.setAttribute('aria-invalid', String(!field.checkValidity()))
}

const refuse = (): void => {
  markFields()
  status.textContent = 'Please check the card details.'
  fields.find((field) => !field.checkValidity())?.focus()
  report('invalid_form')
}

const submit = async (): Promise<void> => {
  if (isBusy) return
  if (!form.checkValidity()) return refuse()
  isBusy = true
  markFields()
  report('payment_submitted')
  status.textContent = 'One moment…'
  const fieldValues = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  const message = await post(new URLSearchParams(fieldValues))
  isBusy = false
  if (message.action === `${service}.invalid_form`) return refuse()
  send(message)
  if (message.src !== undefined) return location.assign(message.src)
  showEnd(message)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  submit()
})

form.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && target.checkValidity()) target.removeAttribute('aria-invalid')
  const isFulfilled = form.checkValidity()
  if (isFulfilled && !wasFulfilled) report('card_data_fulfilled')
  wasFulfilled = isFulfilled
})

addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  try {
    if (JSON.parse(data).action === `${service}.iframe_submit`) submit()
  } catch {}
})

report('form_loaded')

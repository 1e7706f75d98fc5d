// Drives the hosted identification form: it submits what the shopper typed and shows the part of the page that the next action
// requires. It keeps the typed data only in this page, to submit it again when the checkout asks for that.

const byId = (id) => document.getElementById(id)
const checkout = byId('checkout')
const { identification, wait, service } = checkout.dataset
const person = byId('person')
const trouble = byId('trouble')

const POLL = 1_500
const POLL_WHILE_PAYING = 5_000
const POLL_AFTER_TROUBLE = 5_000

// The last submission, without a code. Null before the first one, and after the page was reloaded.
let submitted = null
// An answer to an earlier turn is ignored: another request was made since.
let turn = 0
let timer

const pollIn = (millis) => {
  clearTimeout(timer)
  timer = setTimeout(poll, millis)
}

const pollAfter = (refusal) =>
  pollIn(Math.max(POLL_AFTER_TROUBLE, 1_000 * (Number(refusal.headers?.get('retry-after')) || 0)))

const tell = (refusal) => {
  trouble.textContent = refusal.status === 429 ? trouble.dataset.tooMany : trouble.dataset.sending
}

const ask = async (url, init = {}) => {
  const answer = await fetch(url, { credentials: 'omit', ...init })
  if (!answer.ok) throw answer
  return answer.json()
}

const poll = async () => {
  clearTimeout(timer)
  const own = ++turn
  try {
    const action = await ask(wait)
    if (own === turn) act(action)
  } catch (refusal) {
    if (own === turn) pollAfter(refusal)
  }
}

let isSending = false

const submit = async (extra = {}, onTrouble = tell) => {
  if (isSending) return
  isSending = true
  checkout.setAttribute('aria-busy', 'true')
  trouble.textContent = ''
  clearTimeout(timer)
  const own = ++turn
  try {
    const action = await ask(identification, {
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

const stepOf = (name) => document.querySelector(`[data-step=${name}]`)

/** Focuses the heading of the new step, so that shoppers who cannot see the page notice the change. */
const show = (name) => {
  const step = stepOf(name)
  if (!step.hidden) return step
  for (const other of document.querySelectorAll('[data-step]')) other.hidden = other !== step
  if (name !== 'pay') unmount()
  step.querySelector('h2')?.focus()
  return step
}

const mark = (form, errors) => {
  const wrong = []
  for (const text of form.querySelectorAll('.wrong')) {
    const name = text.id.slice(0, -'-wrong'.length)
    const isWrong = name in errors
    const input = byId(name) ?? form.querySelector('[name=plan]')
    const described = [input.dataset.hint, ...(isWrong ? [text.id] : [])].filter(Boolean).join(' ')
    text.hidden = !isWrong
    if (isWrong) input.setAttribute('aria-invalid', 'true')
    else input.removeAttribute('aria-invalid')
    if (described === '') input.removeAttribute('aria-describedby')
    else input.setAttribute('aria-describedby', described)
    if (isWrong) wrong.push(input)
  }
  // A screen reader announces the error once, and the focus moves to the first wrong field.
  const first = [...form.elements].find((input) => wrong.includes(input))
  trouble.textContent = Object.keys(errors).length > 0 ? trouble.dataset.fields : ''
  first?.focus()
}

const showPerson = (errors = {}) => {
  const wasHidden = stepOf('person').hidden
  show('person')
  mark(person, errors)
  if (wasHidden && Object.keys(errors).length === 0) person.elements[1].focus()
}

const showCode = (errors = {}) => {
  if (submitted === null) return showPerson()
  const input = byId('validation_code')
  input.value = ''
  show('code')
  mark(byId('code'), errors)
}

const showWait = () => {
  show('wait')
  pollIn(POLL)
}

const again = () => (submitted === null ? showPerson() : submit())
// The shopper pressed nothing and has no button to press. If this submission fails, the next poll asks again.
const resume = () => (submitted === null ? showPerson() : submit({}, pollAfter))

const end = (name, { return_url: back, messages } = {}) => {
  trouble.textContent = ''
  const step = show(name)
  if (messages?.length > 0) step.querySelector('[data-text]').textContent = messages.join(' ')
  if (back !== undefined) {
    step.querySelector('[data-back]').hidden = false
    step.querySelector('[data-back] a').href = back
  }
}

const showVerification = ({ session_url: url, status }) => {
  if (status === 'VERIFIED' || status === 'FAILED') return showWait()
  byId('verify-link').hidden = status === 'ERROR'
  byId('verify-failed').hidden = status !== 'ERROR'
  byId('verify-link').querySelector('a').href = url
  show('verify')
  pollIn(POLL)
}

const filled = (template, words) => template.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? '')

const planText = (plan) => {
  const { later, now, inParts } = byId('alternative').dataset
  const template = plan.down_payment_total.value === 0 ? later : plan.instalment_count === 1 ? now : inParts
  return filled(template, {
    today: plan.down_payment_total.string,
    others: plan.instalment_count - 1,
    each: plan.instalment_total.string,
    cost: plan.cost_of_credit.string,
    total: plan.grand_total.string,
  })
}

let alternatives = []

const choice = (plan, index) => {
  const label = document.createElement('label')
  const radio = document.createElement('input')
  const text = document.createElement('span')
  label.className = 'choice'
  Object.assign(radio, { type: 'radio', name: 'alternative', value: index, checked: index === 0 })
  text.textContent = planText(plan)
  label.append(radio, text)
  return label
}

const showAlternatives = ({ credit_agreements: plans, forced_credit_agreement_index: forced }) => {
  // Only the wait endpoint lists the plans.
  if (plans === undefined) return poll()
  alternatives = forced === null ? plans : [plans[forced]]
  byId('alternatives').replaceChildren(...alternatives.map(choice))
  show('alternative')
}

let mounted = null
let paymentUrl = null

const unmount = () => {
  mounted?.remove()
  mounted = null
  paymentUrl = null
}

const mount = (url) => {
  mounted?.remove()
  const place = byId('card')
  mounted = window[service].cardForm(place, url, {
    paymentSuccessful: showWait,
    paymentFailed: () => {
      // The next attempt has its own form.
      unmount()
      byId('pay-failed').hidden = false
      poll()
    },
  })
  place.querySelector('iframe').title = place.dataset.title
}

const cardButton = (text, url) => {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'other', textContent: text })
  button.addEventListener('click', () => mount(url))
  return button
}

const showPayment = ({ iframe_url: url, reusable_cards: saved, amount }) => {
  pollIn(POLL_WHILE_PAYING)
  // Keeps what the shopper is typing.
  if (paymentUrl === url) return
  const cards = byId('cards')
  if (stepOf('pay').hidden) byId('pay-failed').hidden = true
  byId('pay-amount').textContent = amount.string
  const buttons = saved.map((card) =>
    cardButton(filled(cards.dataset.saved, { pan: card.masked_pan, expiry: card.expiry_month_year }), card.iframe_url),
  )
  cards.replaceChildren(...buttons, ...(saved.length > 0 ? [cardButton(cards.dataset.other, url)] : []))
  show('pay')
  mount(url)
  paymentUrl = url
}

const showFinish = (action) => {
  end('finish', action)
  if (action.return_url !== undefined) location.assign(action.return_url)
}

const ACTIONS = {
  show_identification_form: ({ errors = {} }) => ('validation_code' in errors ? showCode(errors) : showPerson(errors)),
  require_validate_otp: () => showCode(),
  wait_for_screening: showWait,
  wait_for_confirmation: showWait,
  wait_for_on_hold: showWait,
  resume_after_screening: resume,
  wait_for_id_verification: showVerification,
  alt_payment: showAlternatives,
  require_payment: showPayment,
  // Only the wait endpoint gives `return_url`.
  show_on_hold: (action) => (action.return_url === undefined ? poll() : end('hold', action)),
  finish: showFinish,
  show_conflict: (action) => end('conflict', action),
  reject: (action) => end('reject', action),
  show_error: (action) => end('error', action),
}

const act = (action) => ACTIONS[action.action]?.(action)

const agreementIn = (form) => ({
  product: form.dataset.product,
  instalment_count: Number(form.querySelector('[name=plan]:checked').value),
})

person.addEventListener('submit', (event) => {
  event.preventDefault()
  submitted = { credit_agreement: agreementIn(person) }
  for (const input of person.elements) {
    if (input.type === 'checkbox') submitted[input.name] = input.checked
    else if (input.name !== '' && input.name !== 'plan') submitted[input.name] = input.value
  }
  submit()
})

byId('code').addEventListener('submit', (event) => {
  event.preventDefault()
  submit({ validation_code: byId('validation_code').value.trim() })
})
byId('code-again').addEventListener('click', () => submit())
byId('code-back').addEventListener('click', () => showPerson())
byId('verify-again').addEventListener('click', again)

byId('alternative').addEventListener('submit', (event) => {
  event.preventDefault()
  const { product, instalment_count } = alternatives[Number(new FormData(event.target).get('alternative'))]
  submitted = submitted && { ...submitted, credit_agreement: { product, instalment_count } }
  again()
})

// The checkout may be ahead of its form, for example after the page was reloaded.
poll()

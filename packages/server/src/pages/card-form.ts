// The card form runs in an iframe and talks to the page around it by postMessage of JSON strings. Contract §8, Card form.

/**
 * Every page inside the card form's iframe includes this script: it sends messages and the page's height to the page around it.
 * Defines `service`, `tell` and `say` for the script. When the page grows or shrinks, it reports the height of its body.
 * Contract §8.
 */
export const frameScript = (service: string): string => `
  const service = ${JSON.stringify(service)}
  const tell = (message) => parent.postMessage(JSON.stringify(message), '*')
  const say = (name, rest) => tell({ action: service + '.' + name, ...rest })
  new ResizeObserver(() => say('resized', { height: Math.ceil(document.body.getBoundingClientRect().height) })).observe(document.body, { box: 'border-box' })`

const CVC = `
    <label>CVC <input name="cvc" inputmode="numeric" autocomplete="cc-csc" pattern="\\s*[0-9]{3,4}\\s*" required></label>`

const FIELDS = {
  card: `
    <label>Card number <input name="number" inputmode="numeric" autocomplete="cc-number" pattern="\\s*([0-9][ \\-]*){13,19}\\s*" required></label>
    <label>Expiry (MM/YY) <input name="expiry" autocomplete="cc-exp" pattern="\\s*(0[1-9]|1[0-2])/[0-9]{2}\\s*" required></label>${CVC}
    <label class="choice"><input type="checkbox" name="save"> Save this card for later orders</label>`,
  cvc: CVC,
}

/** `cvc`: the form of a saved card, which asks only for its code. */
export const cardFormPage = (service: string, form: keyof typeof FIELDS): string => `
<main aria-labelledby="title"><h1 id="title">Pay by card</h1>
<form method="post" novalidate>${FIELDS[form]}<button>Pay</button></form>
<p role="status" tabindex="-1"></p></main>
<script>${frameScript(service)}
  const form = document.querySelector('form'), status = document.querySelector('[role=status]')
  const fields = [...form.querySelectorAll('input')]
  let isBusy = false, wasFulfilled = false
  const mark = () => { for (const field of fields) field.setAttribute('aria-invalid', String(!field.checkValidity())) }
  const refuse = () => {
    mark()
    status.textContent = 'Please check the card details.'
    fields.find((field) => !field.checkValidity())?.focus()
    say('invalid_form')
  }
  const pay = async () => {
    try {
      const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
      if (answer.ok) return await answer.json()
    } catch {}
    return { action: service + '.payment_failed', error: 'The payment could not be made.' }
  }
  const submit = async () => {
    if (isBusy) return
    if (!form.checkValidity()) return refuse()
    isBusy = true
    mark()
    say('payment_submitted'); status.textContent = 'One moment…'
    const message = await pay()
    isBusy = false
    if (message.action === service + '.invalid_form') return refuse()
    tell(message)
    if (message.src) return location.assign(message.src)
    status.textContent = message.error ?? 'Paid.'
    if (message.error) return
    form.hidden = true
    status.focus()
  }
  form.addEventListener('submit', (event) => { event.preventDefault(); submit() })
  form.addEventListener('input', ({ target }) => {
    if (target.checkValidity()) target.removeAttribute('aria-invalid')
    const isFulfilled = form.checkValidity()
    if (isFulfilled && !wasFulfilled) say('card_data_fulfilled')
    wasFulfilled = isFulfilled
  })
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return
    try { if (JSON.parse(data).action === service + '.iframe_submit') submit() } catch {}
  })
  say('form_loaded')
</script>`

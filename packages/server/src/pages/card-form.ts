// The card form in its iframe: it talks to the page around it by postMessage of JSON strings. Contract §8, Card form.

const FIELDS = {
  card: `
    <label>Card number <input name="number" inputmode="numeric" autocomplete="cc-number" required></label>
    <label>Expiry (MM/YY) <input name="expiry" autocomplete="cc-exp" required></label>
    <label>CVC <input name="cvc" inputmode="numeric" autocomplete="cc-csc" required></label>
    <label><input type="checkbox" name="save"> Keep this card for later orders</label>`,
  cvc: `
    <label>CVC <input name="cvc" inputmode="numeric" autocomplete="cc-csc" required></label>`,
}

/** `cvc`: a saved card, which asks for its code alone. */
export const cardFormPage = (service: string, form: keyof typeof FIELDS): string => `
<main><h1>Pay by card</h1>
<form method="post">${FIELDS[form]}<button>Pay</button></form>
<p role="status"></p></main>
<script>
  const service = ${JSON.stringify(service)}
  const form = document.querySelector('form'), status = document.querySelector('[role=status]')
  const tell = (message) => parent.postMessage(JSON.stringify(message), '*')
  const say = (name, rest) => tell({ action: service + '.' + name, ...rest })
  const submit = async () => {
    if (!form.reportValidity()) return say('invalid_form')
    say('payment_submitted'); status.textContent = 'One moment…'
    const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
    const message = answer.ok ? await answer.json() : { action: service + '.payment_failed', error: 'The payment could not be made.' }
    tell(message)
    if (message.src) return location.assign(message.src)
    status.textContent = message.error ?? (message.action.endsWith('successful') ? 'Paid.' : 'Please check the card’s details.')
  }
  form.addEventListener('submit', (event) => { event.preventDefault(); submit() })
  form.addEventListener('input', () => { if (form.checkValidity()) say('card_data_fulfilled') })
  addEventListener('message', ({ data }) => { try { if (JSON.parse(data).action === service + '.iframe_submit') submit() } catch {} })
  new ResizeObserver(() => say('resized', { height: document.documentElement.scrollHeight })).observe(document.body)
  say('form_loaded')
</script>`

// Simulates the bank's 3-D Secure page in the sandbox.
import { frameScript } from './card-form.ts'

export const challengePage = (service: string): string => `
<main aria-labelledby="title"><h1 id="title">Your bank needs to confirm it’s you</h1>
<form method="post">
  <button name="status" value="success">Yes, pay</button>
  <button name="status" value="failure">No</button>
</form>
<p role="status" tabindex="-1"></p></main>
<script>${frameScript(service)}
  const form = document.querySelector('form'), status = document.querySelector('[role=status]')
  const answered = async (answer) => {
    try {
      const response = await fetch(location.href, { method: 'POST', body: new URLSearchParams({ status: answer }) })
      if (response.ok) return await response.json()
    } catch {}
    return { action: service + '.payment_failed', error: 'The payment could not be made.' }
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    form.hidden = true
    const message = await answered(event.submitter.value)
    tell(message)
    status.textContent = message.error ?? 'Paid.'
    status.focus()
  })
</script>`

/** Simulates the identity provider's page in the sandbox. */
export const sessionPage = (): string => `
<main><h1>Verify your identity</h1>
<form method="post">
  <button name="status" value="VERIFIED">Verified</button>
  <button name="status" value="FAILED">Not verified</button>
  <button name="status" value="ERROR">Interrupted</button>
</form></main>
<script>
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams({ status: event.submitter.value }) })
    document.querySelector('main').textContent = answer.ok ? 'Thank you. You can go back to the shop.' : 'This session has ended.'
  })
</script>`

// Simulates the bank's 3-D Secure page in the sandbox: it sends the shopper's answer and reports the result.
import { form, post, send, showEnd } from './sandbox-frame.ts'

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  form.hidden = true
  const message = await post(new URLSearchParams({ status: (event.submitter as HTMLButtonElement).value }))
  send(message)
  showEnd(message)
})

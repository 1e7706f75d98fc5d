// Simulates the bank's 3-D Secure page in the sandbox: it sends the shopper's answer and reports the result.
import { enableButtons, form, post, send, showEnd } from './frame.ts'

let isAnswered = false

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isAnswered) return
  isAnswered = true
  const button = event.submitter as HTMLButtonElement
  button.setAttribute('aria-busy', 'true')
  const message = await post(new URLSearchParams({ status: button.value }))
  form.hidden = true
  send(message)
  showEnd(message)
})
enableButtons()

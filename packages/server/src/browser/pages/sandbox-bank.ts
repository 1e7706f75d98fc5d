// Simulates the bank's 3-D Secure page in the sandbox: it sends the shopper's answer and reports the result.
import { enableButtons, form, post, say, send, showEnd, texts } from './sandbox-frame.ts'

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  form.hidden = true
  say(texts.card.paying)
  const message = await post(new URLSearchParams({ status: (event.submitter as HTMLButtonElement).value }))
  send(message)
  showEnd(message)
})
enableButtons()

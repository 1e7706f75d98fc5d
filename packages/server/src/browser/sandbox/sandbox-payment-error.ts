// The page of an error inside the payment's frame: its button tells the page around it that it has ended, so that the page
// shows what comes next.
import { enableButtons, form, report } from './frame.ts'

form.addEventListener('submit', (event) => {
  event.preventDefault()
  report('payment_failed', { error: 'The payment form is not available.' })
})
// Without a page around it, nobody would hear.
if (parent === window) form.querySelector('button')?.remove()
enableButtons()

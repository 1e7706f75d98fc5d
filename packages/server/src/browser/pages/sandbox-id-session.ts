// Simulates the identity provider's page in the sandbox: each button ends the session in one way.
import { make } from './dom.ts'
import { SANDBOX_TEXTS } from './sandbox-texts.ts'

const form = document.querySelector('form') as HTMLFormElement
const main = document.querySelector('main') as HTMLElement
const { session } = SANDBOX_TEXTS[document.documentElement.lang === 'es' ? 'es' : 'en']

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { value } = event.submitter as HTMLButtonElement
  const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams({ status: value }) })
  const heading = make('h1', { tabindex: '-1' }, answer.ok ? session.thanks : session.ended)
  main.replaceChildren(heading)
  heading.focus()
})

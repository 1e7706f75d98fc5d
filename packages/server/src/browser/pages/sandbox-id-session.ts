// Simulates the identity provider's page in the sandbox: each button ends the session in one way.
const form = document.querySelector('form') as HTMLFormElement
const main = document.querySelector('main') as HTMLElement

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { value } = event.submitter as HTMLButtonElement
  const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams({ status: value }) })
  main.textContent = answer.ok ? 'Thank you. You can go back to the shop.' : 'This session has ended.'
})

export {}

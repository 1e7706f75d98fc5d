// Simulates the identity provider's page in the sandbox.

export const sessionPage = (): string => `
<main><h1>Verify your identity</h1>
<form method="post">
  <button name="status" value="VERIFIED">Verified</button>
  <button name="status" value="FAILED">Not verified</button>
  <button name="status" value="ERROR">Break off</button>
</form></main>
<script>
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams({ status: event.submitter.value }) })
    document.querySelector('main').textContent = answer.ok ? 'Thank you. You may go back to the shop.' : 'This session has ended.'
  })
</script>`

// The bank's 3-D Secure page, as the sandbox plays it.

export const challengePage = (): string => `
<main><h1>Your bank asks: is it you?</h1>
<form method="post">
  <button name="status" value="success">Yes, pay</button>
  <button name="status" value="failure">No</button>
</form></main>
<script>
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    const answer = await fetch(location.href, { method: 'POST', body: new URLSearchParams({ status: event.submitter.value }) })
    const message = await answer.json()
    parent.postMessage(JSON.stringify(message), '*')
    document.querySelector('main').textContent = message.action.endsWith('successful') ? 'Paid.' : 'Not paid.'
  })
</script>`

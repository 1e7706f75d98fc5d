// The sandbox's page of an order on the statechart: its merchant forks the order from the scrubber, and goes on with the fork. A run
// places another order, which the page of the statechart shows.
import './machine-element.ts'

type Reached = { readonly order_ref: string; readonly event: number | null; readonly state: string }

type Answer = { readonly order_ref?: string; readonly detail?: string }

const machine = document.querySelector<HTMLElement>('plazo-machine')
const message = document.querySelector('#news')

machine?.addEventListener('plazo-fork', async (event) => {
  const { seq } = (event as CustomEvent<{ readonly seq: number }>).detail
  const answer = await fetch(machine.getAttribute('fork') ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ at: seq }),
  }).catch(() => null)
  const body: Answer = (await answer?.json().catch(() => null)) ?? {}
  if (answer?.ok && body.order_ref !== undefined) location.assign(body.order_ref)
  else if (message !== null) message.textContent = body.detail ?? 'The server does not answer. Try again.'
})

machine?.addEventListener('plazo-placed', (event) => event.preventDefault())
machine?.addEventListener('plazo-reached', (event) => {
  const { order_ref, event: at, state } = (event as CustomEvent<Reached>).detail
  event.preventDefault()
  const hash = new URLSearchParams({ order: order_ref, region: state.split('.')[0] ?? '', state })
  if (at !== null) hash.set('event', String(at))
  location.assign(`../../machine#${hash}`)
})

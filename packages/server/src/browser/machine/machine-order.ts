// The sandbox's page of an order on the statechart: its merchant forks the order from the scrubber, and goes on with the fork. A run
// places another order, which the page of the statechart shows.
import { postJson } from '../shared/requests.ts'
import './machine-element.ts'

type Reached = { readonly order_ref: string; readonly event: number | null; readonly state: string }

const machine = document.querySelector<HTMLElement>('plazo-machine')
const message = document.querySelector('#news')

machine?.addEventListener('plazo-fork', async (event) => {
  const { seq } = (event as CustomEvent<{ readonly seq: number }>).detail
  const fork = await postJson<{ readonly order_ref: string }>(machine.getAttribute('fork') ?? '', { at: seq })
  if (typeof fork !== 'string') location.assign(fork.order_ref)
  else if (message !== null) message.textContent = fork
})

machine?.addEventListener('plazo-placed', (event) => event.preventDefault())
machine?.addEventListener('plazo-reached', (event) => {
  const { order_ref, event: at, state } = (event as CustomEvent<Reached>).detail
  event.preventDefault()
  const hash = new URLSearchParams({ order: order_ref, region: state.split('.')[0] ?? '', state })
  if (at !== null) hash.set('event', String(at))
  location.assign(`../../machine#${hash}`)
})

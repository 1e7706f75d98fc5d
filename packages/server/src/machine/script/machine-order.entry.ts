// The page of an order on the statechart: where it may, its merchant forks the order from the scrubber,
// and goes on with the fork. A run places another order, which the page of the statechart shows.
import { hear } from '../../http/page/script/dom.ts'
import { postJson } from '../../http/page/script/requests.ts'
import './machine-element.entry.ts'

type Reached = { readonly order_ref: string; readonly event: number | null; readonly state: string }

// The page has both.
const machine = document.querySelector('plazo-machine') as HTMLElement
const message = document.querySelector('#news') as HTMLElement

hear<{ readonly seq: number }>(machine, 'plazo-fork', async ({ seq }) => {
  const fork = await postJson<{ readonly order_ref: string }>(machine.getAttribute('fork') ?? '', {
    at: seq,
  })
  if (typeof fork !== 'string') location.assign(fork.order_ref)
  else message.textContent = fork
})

machine.addEventListener('plazo-placed', (event) => event.preventDefault())
hear<Reached>(machine, 'plazo-reached', ({ order_ref, event: at, state }, event) => {
  event.preventDefault()
  const hash = new URLSearchParams({ order: order_ref, region: state.split('.')[0] ?? '', state })
  if (at !== null) hash.set('event', String(at))
  location.assign(`../../machine#${hash}`)
})

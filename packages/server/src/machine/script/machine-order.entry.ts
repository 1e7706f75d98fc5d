// The page of an order on the statechart. A run places another order, which the page of the
// statechart shows.
import { hear } from '../../http/page/script/dom.ts'
import './machine-element.entry.ts'

type Reached = { readonly order_ref: string; readonly event: number | null; readonly state: string }

// The page has it.
const machine = document.querySelector('plazo-machine') as HTMLElement

machine.addEventListener('plazo-placed', (event) => event.preventDefault())
hear<Reached>(machine, 'plazo-reached', ({ order_ref, event: at, state }, event) => {
  event.preventDefault()
  const hash = new URLSearchParams({ order: order_ref, region: state.split('.')[0] ?? '', state })
  if (at !== null) hash.set('event', String(at))
  location.assign(`../../machine#${hash}`)
})

// The page of an order on the statechart. A run places another order, which the front page of
// the demo shop shows.
import { hear } from '../../http/page/script/dom.ts'
import './machine-element.entry.ts'

type Reached = { readonly order_ref: string; readonly event: number | null }

// The page has it.
const machine = document.querySelector('plazo-machine') as HTMLElement

machine.addEventListener('plazo-placed', (event) => event.preventDefault())
hear<Reached>(machine, 'plazo-reached', ({ order_ref: order, event: at }, event) => {
  event.preventDefault()
  const query = new URLSearchParams({ order, ...(at !== null && { event: String(at) }) })
  location.assign(`../../?${query}`)
})

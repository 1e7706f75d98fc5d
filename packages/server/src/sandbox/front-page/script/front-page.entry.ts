// Drives the sandbox's front page: it places the order, shows the checkout as the shopper sees it,
// and keeps statechart and timeline on the same event.
import {
  euros,
  hear,
  make,
  makeButton,
  moveByArrows,
  orderName,
  orderStateWords,
  postJson,
  readJson,
  sayIn,
  setAttributes,
} from '@plazo/server/internal/browser'
import '@plazo/server/internal/machine-element'
import type { Timeline } from '../../protocol.ts'
import { hintFor, loadCheckout, prefill } from './checkout.ts'
import { startClock } from './clock.ts'
import '../../timeline/script/timeline-element.ts'

// The page that includes this script has every element that it uses.
const byId = <E extends HTMLElement = HTMLElement>(id: string): E =>
  document.getElementById(id) as E
const choose = byId<HTMLFormElement>('choose')
const buy = byId<HTMLButtonElement>('buy')
const events = byId<HTMLElement & { readonly refresh: () => Promise<void> }>('events')
const machine = document.querySelector('plazo-machine') as HTMLElement
const answers = byId<HTMLSelectElement>('answers')
const panes = document.querySelector('.panes') as HTMLElement

const NEWS_MILLIS = 12_000

const newsBox = byId('news')
let newsTimer: number | undefined

/** A message goes by itself, but not one that says what went wrong. */
const say: ReturnType<typeof sayIn> = (text, isWrong = false) => {
  clearTimeout(newsTimer)
  sayIn(newsBox)(text, isWrong)
  if (!isWrong) newsTimer = setTimeout(() => sayIn(newsBox)(''), NEWS_MILLIS)
}

/** Null, and says why, if the server refused. */
const post = async <A>(path: string, body: object): Promise<A | null> => {
  const answer = await postJson<A>(path, body)
  if (typeof answer !== 'string') return answer
  say(answer, true)
  return null
}

const selectedInput = (name: string): HTMLInputElement =>
  choose.querySelector<HTMLInputElement>(`[name=${name}]:checked`) as HTMLInputElement

const choosePerson = (surnames: string): void => {
  const inputs = [...choose.querySelectorAll<HTMLInputElement>('[name=person]')]
  const chosen =
    inputs.find(({ value }) => value.toLowerCase() === surnames.toLowerCase()) ?? inputs[0]
  if (chosen === undefined) return
  chosen.checked = true
  const { name = '', outcome = '', product = '' } = chosen.dataset
  byId('shopper').textContent = name
  byId('outcome').textContent = outcome
  const only = choose.querySelector<HTMLInputElement>(`[name=product][value="${product}"]`)
  if (only !== null) only.checked = true
  byId('product-outcome').textContent = selectedInput('product').dataset.outcome ?? ''
}

const showAnswer = (): void => {
  byId('answers-outcome').textContent = answers.selectedOptions[0]?.dataset.outcome ?? ''
}

/** The shop that answers as was chosen; undefined: as usual. */
const chosenShop = (): object | undefined => {
  const { value, dataset } = answers
  return value === ''
    ? undefined
    : { notify_url: `${dataset.shop}/notify?answer=${value}`, events_url: `${dataset.shop}/events` }
}

let order: string | null = null

/** Writes the selection into the page's URL, so that a reload shows the same. */
const updateUrl = (orderRef: string | null, event: number | null = null): void => {
  const query = new URLSearchParams({
    person: selectedInput('person').value,
    ...(orderRef !== null && { order: orderRef }),
    ...(event !== null && { event: String(event) }),
  })
  history.replaceState(null, '', `?${query}`)
}

/** Statechart, timeline and URL show the same event; null follows the newest. */
const seek = (event: number | null): void => {
  for (const element of [events, machine])
    setAttributes(element, { at: event === null ? null : String(event) })
  updateUrl(order, event)
}

/** A product in the words of its choice; its code if the page offers none of this code. */
const productName = (code: string): string =>
  [...choose.querySelectorAll<HTMLInputElement>('[name=product]')].find(
    ({ value }) => value === code,
  )?.dataset.name ?? code

/** A hint that is already shown stays, so that it keeps the focus. */
const showHint = (hint: HTMLElement | null): void => {
  if (byId('hint').innerHTML !== (hint?.outerHTML ?? '')) byId('hint').replaceChildren(hint ?? '')
}

/** The parts of the page for an order, or those before there is one. */
const showParts = (hasOrder: boolean): void => {
  for (const part of [byId('buying'), events]) part.hidden = !hasOrder
  for (const part of [choose, byId('before')]) part.hidden = hasOrder
}

const open = (orderRef: string, event: number | null = null, pane = 'shop'): void => {
  order = orderRef
  const base = `sandbox/demo/orders/${orderRef}`
  showParts(true)
  const checkout = make('plazo-checkout' as 'div', { order: orderRef })
  prefill(checkout, selectedInput('person'))
  byId('checkout').replaceChildren(checkout)
  void loadCheckout(byId('checkout'), orderRef)
  seek(event)
  events.setAttribute('src', `${base}/timeline`)
  machine.setAttribute('src', `${base}/history`)
  byId<HTMLAnchorElement>('machine-link').href = `machine/orders/${orderRef}`
  showPane(pane)
}

const close = (): void => {
  order = null
  updateUrl(null)
  showParts(false)
  byId('checkout').replaceChildren()
  byId('order-name').textContent = ''
  showHint(null)
  events.removeAttribute('src')
  machine.removeAttribute('src')
  showOnClock(null)
  void showRecent()
  buy.focus()
}

const place = async (): Promise<void> => {
  buy.setAttribute('aria-busy', 'true')
  const placed = await post<{ readonly order_ref: string }>('sandbox/demo/orders', {
    product: selectedInput('product').value,
    shop: chosenShop(),
  })
  buy.removeAttribute('aria-busy')
  if (placed === null) return
  say('')
  open(placed.order_ref)
}

answers.addEventListener('change', showAnswer)
showAnswer()
choose.addEventListener('change', () => {
  choosePerson(selectedInput('person').value)
  updateUrl(null)
})
choose.addEventListener('submit', (event) => {
  event.preventDefault()
  if (buy.getAttribute('aria-busy') !== 'true') void place()
})
// Until now it was disabled: without the handlers above, a press would leave the page.
buy.disabled = false
byId('again').addEventListener('click', close)

const showOnClock = startClock(
  say,
  () => order,
  () => void events.refresh(),
)

hear<Timeline>(events, 'plazo-timeline', (latest) => {
  const { product, amount } = latest.order
  byId('order-name').textContent =
    `${orderName(latest.order)} · ${productName(product)} · ${euros(amount.value)}`
  showHint(hintFor(latest))
  showOnClock(latest)
})
hear<{ readonly seq: number | null }>(events, 'plazo-seek', ({ seq }) => seek(seq))
hear<{ readonly seq: number; readonly isFollowing: boolean }>(
  machine,
  'plazo-line',
  ({ seq, isFollowing }) => seek(isFollowing ? null : seq),
)
hear<{ readonly order_ref: string; readonly trigger: string }>(
  machine,
  'plazo-placed',
  ({ order_ref, trigger }, event) => {
    event.preventDefault()
    choosePerson(trigger)
    open(order_ref, null, 'machine')
  },
)
// The panes fill the screen. The checkout scrolls its present field to the middle, and the page
// would scroll with it.
const ownScrolls = matchMedia('(min-width: 64.0625rem)')
byId('shop').addEventListener('focusin', () => {
  if (ownScrolls.matches && scrollY === 0) requestAnimationFrame(() => scrollTo(0, 0))
})

// The shop's own page would replace this one.
document.addEventListener('plazo-finish', (event) => event.preventDefault())

const TABS = [...document.querySelectorAll<HTMLButtonElement>('.tabs [role=tab]')]

function showPane(name: string): void {
  panes.dataset.pane = name
  for (const tab of TABS) {
    const isSelected = tab.getAttribute('aria-controls') === name
    tab.setAttribute('aria-selected', String(isSelected))
    tab.tabIndex = isSelected ? 0 : -1
  }
}

for (const tab of TABS)
  tab.addEventListener('click', () => showPane(tab.getAttribute('aria-controls') ?? 'shop'))
moveByArrows(TABS)

const showRecent = async (): Promise<void> => {
  const orders = (await readJson<readonly Timeline['order'][]>('sandbox/demo/orders')) ?? []
  const items = orders.slice(0, 8).map((each) => {
    const { order_ref, product, amount, state } = each
    return make('li', {}, [
      makeButton(orderName(each), () => open(order_ref)),
      make(
        'span',
        { class: 'quiet' },
        `${productName(product)} · ${euros(amount.value)} · ${orderStateWords(state)}`,
      ),
    ])
  })
  byId('recent').replaceChildren(
    ...(items.length === 0
      ? []
      : [make('h3', {}, 'Recent orders'), make('ul', { class: 'recent' }, items)]),
  )
}

const query = new URLSearchParams(location.search)
choosePerson(query.get('person') ?? selectedInput('person').value)
const reopened = query.get('order')
if (reopened !== null && /^[0-9a-f-]{36}$/i.test(reopened))
  open(reopened, /^\d{1,9}$/.test(query.get('event') ?? '') ? Number(query.get('event')) : null)
else void showRecent()

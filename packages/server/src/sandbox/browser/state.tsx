// All views of the sandbox's page show one state, and one stream says when to read it again. So they
// never contradict each other.
import type { HistoryLine } from '@plazo/core/protocol'
import {
  firedWords,
  followWhileShown,
  postJson,
  readableInstant,
  readJson,
} from '@plazo/server/internal/browser'
import { useEffect, useState, useSyncExternalStore } from 'hono/jsx/dom'
import { DEMO_PEOPLE, type DemoPerson } from '../demo-people.ts'
import type { Advanced, DemoState, Timeline, TimelineEntry } from '../protocol.ts'

/** A URL of this server, also under a prefix or another name of the machine. */
export const urlOf = (path: string): string => new URL(`../${path}`, import.meta.url).href

/** The view, by its path from the server's base URL. */
export const view = location.href.split(/[?#]/)[0]?.slice(urlOf('').length) ?? ''

const query = new URLSearchParams(location.search)

type OfOrder = { readonly order_ref: string }

type Deliveries = {
  readonly merchant_ref: string
  /** The attempts, the newest first. */
  readonly entries: readonly (TimelineEntry & OfOrder)[]
}

type State = {
  /** Null: not read yet. */
  readonly demo: DemoState | null
  readonly deliveries: Deliveries | null
  /** The order that is shown, with its history and its timeline. */
  readonly order: string | null
  readonly lines: readonly HistoryLine[]
  readonly timeline: Timeline | null
  /** The number of the line that is shown; null follows the newest. */
  readonly at: number | null
  /** The move of the clock that runs. */
  readonly move: number | 'next' | null
  readonly news: string
  readonly isWrong: boolean
  readonly person: DemoPerson
  readonly product: string
  readonly answer: string
  /** What became due during the last move of the clock. */
  readonly fired: Advanced['fired'] | null
}

const personOf = (surnames: string | null): DemoPerson =>
  DEMO_PEOPLE.find((person) => person.surnames.toLowerCase() === surnames?.trim().toLowerCase()) ??
  // There are people.
  (DEMO_PEOPLE[0] as DemoPerson)

const person = personOf(query.get('person'))

export let state: State = {
  demo: null,
  deliveries: null,
  order: null,
  lines: [],
  timeline: null,
  at: null,
  move: null,
  news: '',
  isWrong: false,
  person,
  product: person.product ?? 'pp3',
  answer: '',
  fired: null,
}

const listeners = new Set<() => void>()

export const update = (change: Partial<State>): void => {
  state = { ...state, ...change }
  for (const listen of listeners) listen()
}

const subscribe = (listen: () => void) => {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

export const useSandbox = (): State => useSyncExternalStore(subscribe, () => state)

/** The sandbox's time in milliseconds, every second. */
export const useNow = (): number => {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Date.now() + 1_000 * (state.demo?.ahead ?? 0)
}

let newsTimer: number | undefined

/** A message goes by itself, but not one that says what went wrong. */
const say = (news: string, isWrong = false): void => {
  clearTimeout(newsTimer)
  update({ news, isWrong })
  if (!isWrong) newsTimer = setTimeout(() => update({ news: '' }), 12_000)
}

/** Null, and says why, if the server refused. */
export const post = async <A,>(path: string, body: object): Promise<A | null> => {
  const answer = await postJson<A>(urlOf(path), body)
  if (typeof answer !== 'string') return answer
  say(answer, true)
  return null
}

/** Writes the selection into the page's URL, so that a reload shows the same. */
const updateUrl = (): void => {
  const { order, at } = state
  const selection = new URLSearchParams({ person: state.person.surnames })
  if (order !== null) selection.set('order', order)
  if (at !== null) selection.set('event', String(at))
  history.replaceState(null, '', `?${selection}`)
}

/** Statechart, timeline and URL show the same line of the history. */
export const seek = (at: number | null): void => {
  update({ at })
  updateUrl()
}

export const choosePerson = (surnames: string): void => {
  const chosen = personOf(surnames)
  update({ person: chosen, product: chosen.product ?? state.product })
  updateUrl()
}

/** The URLs of the demo shop, which answers an IPN as was chosen. */
export const shopUrls = (merchant = 'demo') => {
  const { answer } = state
  const isOther = merchant !== 'demo'
  const query = (parameters: object) =>
    `?${new URLSearchParams({ ...(isOther && { merchant }), ...parameters })}`.replace(/\?$/, '')
  return {
    notify_url: `${urlOf('demo/notify')}${query(answer ? { answer } : {})}`,
    events_url: `${urlOf('demo/events')}${query({})}`,
  }
}

/** Shows an order, or null for the choices before the next one. */
export const show = (order: string | null, at: number | null = null): void => {
  update({ order, at, timeline: null, lines: [] })
  updateUrl()
  void read()
}

const readOrder = async (order: string): Promise<void> => {
  const orderUrl = urlOf(`sandbox/demo/orders/${order}`)
  const [timeline, view] = await Promise.all([
    readJson<Timeline>(`${orderUrl}/timeline`),
    readJson<{ readonly history: readonly HistoryLine[] }>(`${orderUrl}/history`),
  ])
  if (order !== state.order) return
  if (timeline === null || view === null) {
    // An order that was shown before is there: it is the server that does not answer.
    if (state.timeline === null) say('There is no such order of demo.', true)
    return
  }
  const before = state.timeline?.order.state.checkout
  update({ timeline, lines: view.history })
  // The checkout asks again what is next, because the clock or somebody else may have changed it.
  if (before !== timeline.order.state.checkout) dispatchEvent(new Event('online'))
}

const read = async (): Promise<void> => {
  if (state.order !== null) await readOrder(state.order)
  if (view.endsWith('webhooks')) update({ deliveries: await readJson(location.href) })
}

const openStream = (): EventSource => {
  const stream = new EventSource(urlOf('sandbox/demo/events'))
  stream.addEventListener('demo', (event) => {
    const demo = JSON.parse((event as MessageEvent<string>).data) as DemoState
    update({ demo })
    const { moving } = demo
    if (moving && state.move !== null)
      say(`On the way to ${readableInstant(moving.to)}. Jobs so far: ${moving.fired}.`)
    void read()
  })
  return stream
}

const newsOf = ({ now, fired }: Advanced): string => {
  const ofOrder = fired.filter(({ order_ref }) => order_ref === state.order)
  const others = fired.length - ofOrder.length
  return [
    `It is ${readableInstant(now)}.`,
    ...ofOrder.map(({ what }) => `${firedWords(what)}.`),
    others > 0 && `Other orders: ${others} more.`,
    fired.length === 0 && 'Nothing was due.',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Moves the clock, in seconds or to the next job of any order. `button`: what was pressed. */
export const moveClock = async (button: number | 'next', seconds: number | null): Promise<void> => {
  if (state.move !== null) return
  say('The clock is moving. Each job that becomes due runs at its own time …')
  update({ move: button })
  const way = seconds === null ? 'next' : 'advance'
  const moved = await post<Advanced>(`sandbox/clock/${way}`, { seconds })
  update({ move: null })
  if (moved === null) return
  update({ fired: moved.fired })
  say(newsOf(moved))
}

export const start = (): void => {
  followWhileShown(openStream)
  const [order, event] = [query.get('order') ?? '', query.get('event') ?? '']
  if (/^[0-9a-f-]{36}$/i.test(order)) show(order, /^\d{1,9}$/.test(event) ? Number(event) : null)
}

// The sandbox's page of the clock: it moves the clock, says so while it takes long, and lists what
// happened and what that caused.

import type { HistoryLine, OrderView } from '@plazo/core/protocol'
import {
  countdown,
  eventNames,
  eventNote,
  eventWords,
  firedWords,
  make,
  orderName,
  readableInstant,
  readJson,
  readPage,
  sayIn,
} from '@plazo/server/internal/browser'
import type { Advanced } from '../protocol.ts'
import { moveClock } from './move-clock.ts'

// Each order needs a request of its own.
const ORDERS_MAX = 12

// The page has all of these.
const byId = (id: string): HTMLElement => document.getElementById(id) as HTMLElement
const now = byId('now') as HTMLTimeElement
const next = byId('next')
const say = sayIn(byId('status'))
const happened = byId('happened')
const buttons = [...document.querySelectorAll<HTMLButtonElement>('[data-move]')]

let ahead = Date.parse(now.dateTime) - Date.now()

const tick = (): void => {
  const at = Date.now() + ahead
  now.textContent = `${readableInstant(new Date(at).toISOString())} UTC`
  const dueAt = Date.parse(next.dataset.at ?? '')
  if (dueAt > at) next.textContent = `in ${countdown(dueAt - at)}`
}

/** Takes what comes next from the page as it is now. */
const refresh = async (): Promise<void> => {
  const fresh = await readPage()
  if (fresh === null) return
  const time = fresh.querySelector<HTMLTimeElement>('#now')
  if (time !== null) ahead = Date.parse(time.dateTime) - Date.now()
  next.dataset.at = fresh.querySelector<HTMLElement>('#next')?.dataset.at ?? ''
  next.textContent = fresh.querySelector('#next')?.textContent ?? ''
  byId('upcoming').replaceChildren(...(fresh.querySelector('#upcoming')?.childNodes ?? []))
  tick()
}

/** The jobs that ran for one order, and the events that it took from then on, in their order. */
const groupOf = (
  order: OrderView,
  fired: Advanced['fired'],
  lines: readonly HistoryLine[],
): HTMLElement => {
  // Sorting keeps the order of what has the same time: a job runs before the events that it causes.
  const all = [
    ...fired
      .filter(({ order_ref }) => order_ref === order.order_ref)
      .map(({ at, what }) => ({
        at,
        text: firedWords(what),
        names: what,
        kind: 'fired',
        label: 'job',
      })),
    ...lines.map((line) => ({
      at: line.at,
      text: [eventWords(line), eventNote(line)].filter(Boolean).join(' · '),
      names: eventNames(line),
      kind: 'caused',
      label: 'event',
    })),
  ].toSorted((one, other) => one.at.localeCompare(other.at))
  return make('li', {}, [
    make('h3', {}, make('a', { href: `../?order=${order.order_ref}` }, orderName(order))),
    make(
      'ol',
      { class: 'happened' },
      all.map(({ at, text, names, kind, label }) =>
        make('li', { class: kind }, [
          make('time', { class: 'when', datetime: at }, readableInstant(at)),
          make('span', {}, [
            make('b', {}, label),
            ` ${text} `,
            make('code', { class: 'quiet' }, names),
          ]),
        ]),
      ),
    ),
  ])
}

const show = async ({ fired }: Advanced, since: number): Promise<void> => {
  const orders = (await readJson<readonly OrderView[]>('demo/orders')) ?? []
  const knownOrders = orders
    .filter(({ order_ref }) => fired.some((job) => job.order_ref === order_ref))
    .slice(0, ORDERS_MAX)
  const groups = await Promise.all(
    knownOrders.map(async (order) => {
      const view = await readJson<{ readonly history: readonly HistoryLine[] }>(
        `demo/orders/${order.order_ref}/history`,
      )
      const lines = view?.history.filter(({ at }) => Date.parse(at) >= since) ?? []
      return groupOf(order, fired, lines)
    }),
  )
  const others = fired.filter(
    ({ order_ref }) => !knownOrders.some((order) => order.order_ref === order_ref),
  ).length
  happened.replaceChildren(
    make('h2', {}, 'What happened'),
    ...(groups.length > 0 ? [make('ul', { class: 'rows' }, groups)] : []),
    ...(others > 0 ? [make('p', { class: 'quiet' }, `Jobs of other orders: ${others}.`)] : []),
    ...(fired.length > 0 ? [] : [make('p', { class: 'quiet' }, 'Nothing was due.')]),
  )
  happened.hidden = false
}

const move = async (button: HTMLButtonElement): Promise<void> => {
  if (buttons.some(({ ariaBusy }) => ariaBusy === 'true')) return
  const since = Math.floor(Date.now() + ahead)
  const target = button.dataset.move
  const advanced = await moveClock(
    'clock',
    target === 'next' ? 'next' : Number(target),
    button,
    say,
  )
  if (advanced === null) return
  say(`Ready. It is ${readableInstant(advanced.now)} UTC.`)
  await Promise.all([refresh(), show(advanced, since)])
}

for (const button of buttons) button.addEventListener('click', () => void move(button))
setInterval(tick, 1_000)
tick()

// The clock of the sandbox, at the top of its pages: it shows domain time, moves it, and says what
// happened meanwhile.
import {
  countdown,
  firedWords,
  readableInstant,
  readJson,
  type sayIn,
} from '@plazo/server/internal/browser'
import type { Advanced, Timeline } from '../../protocol.ts'
import { moveClock } from '../../script/move-clock.ts'

const NAMES_MAX = 4

const newsOf = ({ now, fired }: Advanced, orderRef: string | null): string => {
  const orderEvents = fired
    .filter(({ order_ref }) => order_ref === orderRef)
    .map(({ what }) => firedWords(what))
  const others = fired.length - orderEvents.length
  const sentences = orderEvents.slice(0, NAMES_MAX).map((words) => `${words}.`)
  const rest = orderEvents.length - sentences.length
  const parts = [
    ...sentences,
    ...(rest > 0 ? [`And ${rest} more.`] : []),
    ...(others > 0
      ? [`${others} ${others === 1 ? 'thing' : 'things'} happened to other orders.`]
      : []),
    ...(fired.length === 0 ? ['Nothing was due.'] : []),
  ]
  return `It is ${readableInstant(now)}. ${parts.join(' ')}`
}

/**
 * `orderRef`: the order that the page shows, or null. Returns how to show the timers of another
 * order, or of none.
 */
export const startClock = (
  say: ReturnType<typeof sayIn>,
  orderRef: () => string | null,
  onMoved: () => void,
) => {
  const clockFace = document.getElementById('now') as HTMLTimeElement
  const next = document.getElementById('next-timer') as HTMLButtonElement
  const buttons = [next, ...document.querySelectorAll<HTMLButtonElement>('.clock [data-seconds]')]
  /** Milliseconds that domain time is ahead of this browser's clock; null: not known yet. */
  let ahead: number | null = null
  let upcoming: Timeline['upcoming'] = []

  const isMoving = (): boolean => buttons.some(({ ariaBusy }) => ariaBusy === 'true')

  const nextAt = (now: number): number | null => {
    const times = upcoming.map(({ at }) => Date.parse(at)).filter((at) => at > now)
    return times.length === 0 ? null : Math.min(...times)
  }

  const tick = (): void => {
    if (ahead === null) return
    const now = Date.now() + ahead
    const instant = new Date(now).toISOString()
    clockFace.dateTime = instant
    clockFace.textContent = readableInstant(instant)
    const dueAt = nextAt(now)
    if (!isMoving())
      next.textContent = dueAt === null ? 'Next timer' : `Next timer · ${countdown(dueAt - now)}`
  }

  const setNow = (now: string): void => {
    ahead = Date.parse(now) - Date.now()
    tick()
  }

  const move = async (button: HTMLButtonElement): Promise<void> => {
    if (isMoving()) return
    const now = Date.now() + (ahead ?? 0)
    const dueAt = nextAt(now)
    // Without an order, the next job of any order.
    const onward = dueAt === null ? 'next' : (dueAt - now) / 1_000
    const seconds = Number(button.dataset.seconds)
    const advanced = await moveClock(
      'sandbox/clock',
      button === next ? onward : seconds,
      button,
      say,
    )
    if (advanced === null) return
    say(newsOf(advanced, orderRef()))
    setNow(advanced.now)
    onMoved()
  }

  for (const button of buttons) button.addEventListener('click', () => void move(button))

  void readJson<{ readonly now: string }>('sandbox/clock').then((view) => view && setNow(view.now))
  setInterval(tick, 1_000)

  return (timeline: Timeline | null): void => {
    upcoming = timeline?.upcoming ?? []
    if (timeline !== null) setNow(timeline.now)
    else tick()
  }
}

// A move of the clock runs each job that becomes due, which takes long for a week of a busy server. So
// the page shows how far the move is.
import { postJson, readableInstant, readJson, type sayIn } from '@plazo/server/internal/browser'
import type { Advanced, ClockView } from '../protocol.ts'

/** Milliseconds between two reports of a long move. */
const PROGRESS_INTERVAL = 1_000

/**
 * Moves the clock, in seconds or to the next job of any order. The server answers once
 * each job that becomes due has run. Null: `say` has said why it failed.
 */
export const moveClock = async (
  clock: string,
  move: number | 'next',
  button: HTMLElement,
  say: ReturnType<typeof sayIn>,
): Promise<Advanced | null> => {
  button.setAttribute('aria-busy', 'true')
  say('The clock is moving. Each job that becomes due runs at its own time …')
  const progress = setInterval(async () => {
    const view = await readJson<ClockView>(clock)
    if (view?.moving && button.ariaBusy === 'true')
      say(
        `It is ${readableInstant(view.now)}, on the way to ${readableInstant(view.moving.to)}. Jobs so far: ${view.moving.fired}.`,
      )
  }, PROGRESS_INTERVAL)
  const answer = await (move === 'next'
    ? postJson<Advanced>(`${clock}/next`, {})
    : postJson<Advanced>(`${clock}/advance`, { seconds: move }))
  clearInterval(progress)
  button.removeAttribute('aria-busy')
  if (typeof answer !== 'string') return answer
  say(answer, true)
  return null
}

// Scripts of pages ask this server here. A request that fails is a value, so that no
// page stops working with an error.
import type { Advanced, ClockView } from '@plazo/core/protocol'
import type { sayIn } from './dom.ts'
import { readableInstant } from './formats.ts'

/** Null: the server does not answer, or refuses. */
export const readJson = async <A>(url: string, init: RequestInit = {}): Promise<A | null> => {
  const answer = await fetch(url, { headers: { accept: 'application/json' }, ...init }).catch(
    () => null,
  )
  return answer?.ok ? answer.json().catch(() => null) : null
}

type Problem = { readonly detail?: string; readonly errors?: readonly string[] }

/** A text says why there is no answer. */
export const postJson = async <A>(url: string, body: object): Promise<A | string> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => null)
  const content: (A & Problem) | null = await answer?.json().catch(() => null)
  // A move of the clock that fails on the way has begun its answer already, with 200.
  if (answer?.ok && content && content.detail === undefined) return content
  return content?.detail ?? content?.errors?.join(' ') ?? 'The server does not answer. Try again.'
}

/** This page as it is now. Null: it cannot be read. */
export const readPage = async (): Promise<Document | null> => {
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null)
  return answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null
}

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

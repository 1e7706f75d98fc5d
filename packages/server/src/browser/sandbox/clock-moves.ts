// Moves the sandbox's clock. The server answers once each job that becomes due has run.
import type { Advanced } from '@plazo/core'

/** Seconds, or to the next job of any order. */
export type ClockMove = number | 'next'

/** `clock`: the URL of the clock. Returns a sentence if the clock did not move. */
export const moveClock = async (clock: string, move: ClockMove): Promise<Advanced | string> => {
  const answer = await fetch(move === 'next' ? `${clock}/next` : `${clock}/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(move === 'next' ? {} : { seconds: move }),
  }).catch(() => null)
  const body: unknown = await answer?.json().catch(() => null)
  // A move that fails on the way has begun its answer already, with 200.
  if (typeof body === 'object' && body !== null && 'fired' in body) return body as Advanced
  if (typeof body === 'object' && body !== null && 'detail' in body) return String(body.detail)
  return 'The server does not answer. Try again.'
}

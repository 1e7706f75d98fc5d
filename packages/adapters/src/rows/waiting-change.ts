// Whom an order waits for is listed, and written where a step has changed it.
import { type Step, type Waiting, waitingOf } from '@plazo/core'

/** Null: for the same as before. */
export const waitingChange = ({ journal }: Step): { readonly why: Waiting | null; readonly since: number } | null => {
  const [first, last] = [journal[0], journal.at(-1)]
  if (first === undefined || last === undefined) return null
  const why = waitingOf(last.to)
  return why === waitingOf(first.from) ? null : { why, since: last.at }
}

// Orders that wait for an operator are listed. A step writes to that list only if it changes why the order waits.
import { type Step, type Waiting, waitingOf } from '@plazo/core'

/** Null: the step changes nothing about it. */
export const waitingChange = ({ journal }: Step): { readonly why: Waiting | null; readonly since: number } | null => {
  const [first, last] = [journal[0], journal.at(-1)]
  if (first === undefined || last === undefined) return null
  const why = waitingOf(last.to)
  return why === waitingOf(first.from) ? null : { why, since: last.at }
}

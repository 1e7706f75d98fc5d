// Orders that wait for an operator are listed. A step writes to that list only if it changes why the order waits.
import { type OperatorTask, operatorTaskOf, type Step } from '@plazo/core'

/** Null: the step changes nothing about it. */
export const operatorTaskChange = ({
  journal,
}: Step): { readonly why: OperatorTask | null; readonly since: number } | null => {
  const [first, last] = [journal[0], journal.at(-1)]
  if (first === undefined || last === undefined) return null
  const why = operatorTaskOf(last.to)
  return why === operatorTaskOf(first.from) ? null : { why, since: last.at }
}

// Both SQL stores look only at the oldest orders that wait for an operator, so that a count stays
// cheap. Each count says whether it is exact, that of a single merchant too.
import { LOOKED_AT_MAX, type OperatorTaskCount } from '@plazo/core/ports'

/** `looked`: how many orders that wait were looked at, also of other merchants. */
export type TaskRow = Omit<OperatorTaskCount, 'isExact'> & { readonly looked: number }

export const toTaskCounts = (rows: readonly TaskRow[]): readonly OperatorTaskCount[] =>
  rows
    .filter(({ count }) => count > 0)
    .map(({ looked, ...row }) => ({ ...row, isExact: looked <= LOOKED_AT_MAX }))

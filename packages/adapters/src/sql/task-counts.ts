// Both SQL stores count the orders that wait for an operator in a part of them, which is the oldest.
// So that a count says whether it is exact, also of one merchant.
import { LOOKED_AT_MAX, type OperatorTaskCount } from '@plazo/core/ports'

/** `looked`: how many orders that wait were looked at, also of other merchants. */
export type TaskRow = Omit<OperatorTaskCount, 'isExact'> & { readonly looked: number }

export const toTaskCounts = (rows: readonly TaskRow[]): readonly OperatorTaskCount[] =>
  rows
    .filter(({ count }) => count > 0)
    .map(({ looked, ...row }) => ({ ...row, isExact: looked <= LOOKED_AT_MAX }))

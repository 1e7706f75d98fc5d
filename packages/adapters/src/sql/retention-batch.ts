// Selects the rows of one retention batch to delete, and where the next batch starts. Rows come in
// the order in which they were written, so the first row that is too young ends the search.
import type { DropRequest } from '@plazo/core/ports'

/**
 * `beganAt`: no later row began before this instant. `deletes`: the number of rows deleted with it;
 * 0: it must stay.
 */
type RowAge = { readonly number: number; readonly beganAt: number; readonly deletes: number }

export const selectRetentionBatch = <Row>(
  candidates: readonly Row[],
  { before, rows }: DropRequest,
  ageOf: (row: Row) => RowAge,
): { readonly old: readonly Row[]; readonly next: number | null } => {
  const old: Row[] = []
  let deleted = 0
  let last: number | null = null
  for (const row of candidates) {
    const { number, beganAt, deletes } = ageOf(row)
    if (beganAt >= before) return { old, next: null }
    last = number
    if (deletes === 0) continue
    old.push(row)
    deleted += deletes
    if (deleted >= rows) return { old, next: number }
  }
  return { old, next: candidates.length < rows ? null : last }
}

// Which of the rows that were looked at are let go, and where the next batch begins. They come in the order they were
// written, which is the order they grow old in.
import type { DropRequest } from '@plazo/core'

/** `beganAt`: whatever comes after began no earlier. `deletes`: how many rows go with it; 0: it must stay. */
type LookedAt = { readonly number: number; readonly beganAt: number; readonly deletes: number }

export const oldBatch = <Row>(
  looked: readonly Row[],
  { before, rows }: DropRequest,
  lookAt: (row: Row) => LookedAt,
): { readonly old: readonly Row[]; readonly next: number | null } => {
  const old: Row[] = []
  let deleted = 0
  let last: number | null = null
  for (const row of looked) {
    const { number, beganAt, deletes } = lookAt(row)
    if (beganAt >= before) return { old, next: null }
    last = number
    if (deletes === 0) continue
    old.push(row)
    deleted += deletes
    if (deleted >= rows) return { old, next: number }
  }
  return { old, next: looked.length < rows ? null : last }
}

// Checks the twenty-one invariants of @plazo/core/testing against histories of the core with a
// store.
import { memoryStore } from '@plazo/adapters/memory'
import { examine, INVARIANTS, openHarness } from '@plazo/core/testing'
import { describe, expect, it } from 'vitest'

describe('the invariants', () => {
  it('list as not checked what a source cannot observe', async () => {
    const harness = await openHarness(memoryStore())
    await harness.poll()
    const { checked, notChecked } = examine({ ...harness.trace(), observes: ['poll'] }, INVARIANTS)
    expect(checked).toContain('wait answers 200 and one of its fourteen actions')
    expect(notChecked.every(({ lacks }) => lacks.length > 0)).toBe(true)
    expect(checked.length + notChecked.length).toBe(
      INVARIANTS.flatMap(({ clauses }) => clauses).length,
    )
  })
})

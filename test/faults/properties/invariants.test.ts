// Checks the twenty-one invariants of @plazo/core/testing against histories of the core with a
// store.
import { memoryStore } from '@plazo/adapters/memory'
import { examine, formatViolation, INVARIANTS, openHarness, PERSON } from '@plazo/core/testing'
import { describe, expect, it } from 'vitest'

describe('the invariants', () => {
  it('are twenty-one, each with its own number and name', () => {
    expect(INVARIANTS.map(({ number }) => number)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    )
    expect(new Set(INVARIANTS.map(({ name }) => name)).size).toBe(21)
  })

  it('hold during a complete checkout, from the first form to a cancellation', async () => {
    const harness = await openHarness(memoryStore())
    const form = { ...PERSON, credit_agreement: { product: 'fp1', instalment_count: 1 } }
    await harness.submit({ ...form, nin: '' }, ['nin'])
    await harness.submit(form)
    await harness.runDueJobs()
    await harness.submit({ ...form, validation_code: harness.lastCode() })
    await harness.advance(2_000)
    await harness.poll()
    await harness.submit(form)
    await harness.runDueJobs()
    await harness.pay({ type: 'payment.succeeded', card: null, keep: false })
    await harness.runDueJobs()
    expect((await harness.poll()).body).toMatchObject({ action: 'finish' })
    await harness.operatorDoes('request-cancellation')
    await harness.runDueJobs()
    expect((await harness.order()).state.cancellation).toBe('cancelled')
    const trace = harness.trace()
    const { violations, notChecked } = examine(trace, INVARIANTS)
    expect(violations.map((violation) => formatViolation(trace, violation))).toEqual([])
    expect(notChecked.map(({ lacks }) => lacks)).toEqual([['twin'], ['signature']])
  })

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

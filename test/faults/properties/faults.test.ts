// Proves that every invariant can fail: it catches a deliberate fault around the rules, in a
// history that breaks no invariant without the fault.
import { memoryStore } from '@plazo/adapters/memory'
import { violationOf } from '@plazo/core/internal/testing'
import { examine, INVARIANTS, openHarness, performAct } from '@plazo/core/testing'
import { describe, expect, it } from 'vitest'
import { FAULTS, type Fault } from './faults.ts'

const traceOf = async ({ acts, setting = {} }: Fault, wrapping: ReturnType<Fault['wrapping']>) => {
  const harness = await openHarness(memoryStore(), setting, wrapping)
  for (const each of acts) await performAct(harness, each)
  return harness.trace()
}

describe('a deliberate fault', () => {
  it.each(FAULTS.map((each) => [each.fault, each] as const))(
    '%s: caught by its invariant',
    async (_, each) => {
      const invariant = INVARIANTS.find(({ number }) => number === each.invariantNumber)
      if (invariant === undefined) throw new Error(`There is no invariant ${each.invariantNumber}.`)
      expect(violationOf(invariant, await traceOf(each, each.wrapping()))).toMatchObject({
        invariant: invariant.name,
      })
      expect(examine(await traceOf(each, {}), INVARIANTS).violations).toEqual([])
    },
  )

  it('exists for every invariant', () => {
    expect(FAULTS.map(({ invariantNumber: of }) => of)).toEqual(
      INVARIANTS.map(({ number }) => number),
    )
  })
})

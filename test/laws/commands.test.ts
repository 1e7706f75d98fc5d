// Any order of anything that may happen: the world answers what the model says, and breaks no invariant.
import { memoryStore } from '@plazo/adapters/memory'
import { examine, INVARIANTS, modelFor, openWorld, orderCommands, type Setting, told } from '@plazo/core/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const setting: fc.Arbitrary<Setting> = fc.record({
  sendsActionEvents: fc.boolean(),
  hasIpn: fc.constantFrom(true, true, true, false),
  hasEvents: fc.constantFrom(true, true, true, false),
  language: fc.constantFrom(null, 'es_ES', 'ar-EG'),
})

it('an order answers what the model says, and breaks no invariant, whatever is done to it', async () => {
  await fc.assert(
    fc.asyncProperty(setting, orderCommands(60), async (placed, commands) => {
      const world = await openWorld(memoryStore({ realNow: () => 0 }), placed)
      const { model } = modelFor(placed)()
      await fc.asyncModelRun(() => ({ model: { model }, real: world }), commands)
      const trace = world.trace()
      const { violations } = examine(trace, INVARIANTS)
      expect(violations.map((violation) => told(trace, violation))).toEqual([])
    }),
    { numRuns: Number(process.env.RUNS ?? 300) },
  )
})

// Tries random sequences of everything that can happen to an order, on PostgreSQL. The answers must
// match the model, and no invariant may break.
import {
  examine,
  formatViolation,
  INVARIANTS,
  modelFor,
  openHarness,
  orderCommands,
} from '@plazo/core/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'

const RUNS = Number(process.env.RUNS ?? 300)

it('an order in PostgreSQL matches the model and breaks no invariant, no matter what is done to it', async () => {
  await fc.assert(
    fc.asyncProperty(orderCommands(60), async (commands) => {
      const { store, close } = await openPostgresTestStorage({ realNow: () => 0 })
      const harness = await openHarness(store, {})
      await fc.asyncModelRun(() => ({ model: modelFor({})(), real: harness }), commands)
      const trace = harness.trace()
      expect(
        examine(trace, INVARIANTS).violations.map((violation) => formatViolation(trace, violation)),
      ).toEqual([])
      await close()
    }),
    { numRuns: Math.ceil(RUNS / 50) },
  )
})

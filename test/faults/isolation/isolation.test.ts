import { expect, it } from 'vitest'
import { BAD_MANNERS } from '../../harness/merchants.ts'
import { clusterRun } from '../cluster/run.ts'
import { isolationPlan } from './isolation-plan.ts'

// `pnpm isolation` runs the same at length, and judges times.
it('good merchants get every IPN while others hang, drip, reset or answer late, and nothing is lost or done twice once all are calm', async () => {
  const plan = isolationPlan({
    store: 'sqlite',
    nodes: 1,
    merchants: 12,
    bad: 8,
    accounts: null,
    restarts: true,
    lasts: 4_000,
    patience: 60_000,
    every: 1_000,
  })
  const { violations, facts, account, placed } = await clusterRun({ seed: 1, shoppers: 0, plan })
  expect(violations).toEqual([])
  expect(facts.undelivered).toBe(0)
  expect(facts.good).toBeGreaterThan(0)
  expect(facts.delays).toHaveLength(facts.good)
  expect(Object.keys(facts.requests).toSorted()).toEqual(['accepts', ...BAD_MANNERS].toSorted())
  expect(account.orders).toHaveLength(placed)
}, 300_000)

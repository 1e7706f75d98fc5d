// The list of what happens next to an order: every sentence must be true in the order's state, or
// it is left out.
import { openSqlite } from '@plazo/adapters/sqlite'
import { explainOrder } from '@plazo/core'
import type { Script } from '@plazo/core/internal/testing'
import { type HarnessOptions, openHarness, PERSON } from '@plazo/core/testing'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { upcomingOf } from './timeline.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const EXPIRES = 'The checkout expires, unless the order is confirmed or put on hold before'

const openOrder = async (script: Partial<Script> = {}, options: HarnessOptions = {}) => {
  const { store } = openSqlite(':memory:')
  const harness = await openHarness(store, options)
  harness.change(script)
  const titles = async (): Promise<readonly string[]> => {
    const order = await harness.order()
    const explanation = await explainOrder({ ...harness.host, store })(order)()
    if (E.isLeft(explanation)) throw new Error('The order cannot be explained.')
    return upcomingOf(order, explanation.right, harness.host.clock.now()).map(({ title }) => title)
  }
  const submit = async (withCode = false): Promise<void> => {
    await harness.submit({ ...PERSON, ...(withCode && { validation_code: harness.lastCode() }) })
    await harness.runDueJobs()
  }
  /** Up to the answer of the screening, and the submission after it. */
  const goThrough = async (): Promise<void> => {
    await submit()
    await submit(true)
    await harness.advance(2 * SECOND)
    await submit()
  }
  return { harness, titles, submit, goThrough }
}

describe('what happens next', () => {
  it('a screening that is asked again after its window is not asked', async () => {
    const { titles, submit } = await openOrder({ screening: 'silent' })
    await submit()
    await submit(true)
    expect(await titles()).toEqual(['The screening expires, unless it is answered before', EXPIRES])
  })

  it('an IPN is sent again until the order expires, and not after it', async () => {
    const { harness, titles, goThrough } = await openOrder({ ipn: 503 })
    await goThrough()
    expect(await titles()).toEqual(['The IPN is sent to the shop', EXPIRES])
    await harness.advance(23 * HOUR)
    expect(await titles()).toEqual([EXPIRES])
  })

  it('an order on hold does not expire, neither before nor after its approval', async () => {
    const { harness, titles, goThrough } = await openOrder({ screening: 'review' })
    await goThrough()
    expect((await harness.order()).state.checkout).toBe('reviewing')
    expect(await titles()).toEqual([])
    harness.change({ ipn: 503 })
    await harness.operatorDoes('approve')
    await harness.runDueJobs()
    expect(await titles()).toEqual(['The IPN is sent to the shop'])
  })
})

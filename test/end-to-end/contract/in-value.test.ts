// An order in a value: a host stores the value as JSON text, runs the jobs that it gets, and calls
// again when the next one is due. Nothing else is kept between two calls.
import { EMPTY_VALUE, inValue, type RowsValue } from '@plazo/adapters/rows'
import { systemIds } from '@plazo/adapters/system'
import {
  awaitOutcome,
  completeJob,
  type EffectResult,
  type Host,
  placeOrder,
  submitIdentification,
} from '@plazo/core'
import type { Job, Store } from '@plazo/core/ports'
import { aMerchant, terms } from '@plazo/core/testing/contracts'
import type { Task } from 'fp-ts/lib/Task.js'
import { expect, it } from 'vitest'
import { orderBody, PERSON } from '../../harness/shop.ts'

const parse = <A>(value: A): A => JSON.parse(JSON.stringify(value))

const NOON = Date.UTC(2026, 5, 1, 12)

/** A host whose only state is the text of the value. */
const createHost = () => {
  let text = JSON.stringify(EMPTY_VALUE)
  let now = NOON
  const clock = { now: () => now }
  const waiting: Job[] = []
  let next: number | null = null
  const run = async <A>(act: (host: Host) => Task<A>): Promise<A> => {
    const host = (store: Store): Host => ({ store, clock, ids: systemIds, terms })
    const step = await inValue(JSON.parse(text) as RowsValue, (store) => act(host(store)), clock)
    text = JSON.stringify(step.value)
    waiting.push(...parse(step.jobs))
    next = step.next
    return step.result
  }
  return {
    run,
    waiting,
    next: () => next,
    advance: (millis: number) => {
      now += millis
    },
  }
}

const DELIVERED: EffectResult = {
  event: null,
  attemptResult: { type: 'finished', status: 'delivered' },
  error: null,
  report: null,
}

it('an order in a JSON value goes on, and each of its jobs is given out once', async () => {
  const { run, waiting, next, advance } = createHost()
  const placed = await run((host) => placeOrder(host, () => null)(aMerchant(), orderBody()))
  if (placed._tag === 'Left') throw new Error('The order was refused.')
  expect(waiting).toEqual([])
  await run((host) => submitIdentification(host)(placed.right, PERSON))
  expect(waiting.map(({ lane }) => lane)).toEqual(['sms', 'action'])
  expect(next()).toBeGreaterThan(NOON)
  await run((host) => awaitOutcome(host)(placed.right))
  expect(waiting).toHaveLength(2)
  for (const job of waiting.splice(0))
    expect(await run((host) => completeJob(host)(job, DELIVERED))).toEqual({
      _tag: 'Right',
      right: 'delivered',
    })
  advance((next() ?? 0) - NOON)
  await run((host) => awaitOutcome(host)(placed.right))
  expect(waiting.length).toBeGreaterThan(0)
})

// An order in a value: a host stores the value as JSON text, runs the jobs that it gets, and calls
// again when the next one is due. Nothing else is kept between two calls.
import { EMPTY_VALUE, inValue, type RowsCipher, rowsCipher } from '@plazo/adapters/rows'
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
import { MASTER_KEY } from './fragile-rows.ts'

const parse = <A>(value: A): A => JSON.parse(JSON.stringify(value))

const NOON = Date.UTC(2026, 5, 1, 12)

/** A host whose only state is the text of the value. */
const createHost = (cipher?: RowsCipher) => {
  let text = JSON.stringify(EMPTY_VALUE)
  let now = NOON
  const clock = { now: () => now }
  const waiting: Job[] = []
  let next: number | null = null
  const run = async <A>(act: (host: Host) => Task<A>): Promise<A> => {
    const host = (store: Store): Host => ({ store, clock, ids: systemIds, terms })
    const step = await inValue(JSON.parse(text), ({ store }) => act(host(store)), { clock, cipher })
    text = JSON.stringify(step.value)
    waiting.push(...parse(step.jobs))
    next = step.next
    return step.result
  }
  return {
    run,
    text: () => text,
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

for (const isEncrypted of [false, true])
  it(`an order in ${isEncrypted ? 'an encrypted' : 'a'} JSON value goes on, and gives out each job once`, async () => {
    const cipher = isEncrypted ? await rowsCipher(MASTER_KEY) : undefined
    const { run, text, waiting, next, advance } = createHost(cipher)
    const placed = await run((host) => placeOrder(host, () => null)(aMerchant(), orderBody()))
    if (placed._tag === 'Left') throw new Error('The order was refused.')
    expect(waiting).toEqual([])
    await run((host) => submitIdentification(host)(placed.right, PERSON))
    expect(text().includes(PERSON.nin)).toBe(!isEncrypted)
    expect(waiting.map(({ lane }) => lane)).toEqual(['sms', 'action'])
    expect(waiting[0]?.payload).toMatchObject({ kind: 'sms', to: expect.stringMatching(/600/) })
    expect(next()).toBeGreaterThan(NOON)
    await run((host) => awaitOutcome(host)(placed.right))
    expect(waiting).toHaveLength(2)
    for (const job of waiting.splice(0))
      expect(await run((host) => completeJob(host)(job, parse(DELIVERED)))).toEqual({
        _tag: 'Right',
        right: 'delivered',
      })
    advance((next() ?? 0) - NOON)
    await run((host) => awaitOutcome(host)(placed.right))
    expect(waiting.length).toBeGreaterThan(0)
  })

import type { FullStore } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { failureText, simulate } from './simulation.ts'
import { runWorld } from './world.ts'

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, number) => number)

// Seeds that have found a bug, or a law that was too strict, each with the orders that it needs.
const REGRESSION_SEEDS = [
  {
    seed: 30,
    orders: [85],
    what: 'a code’s message fails until the code is void, and is not sent late',
  },
  {
    seed: 9,
    orders: [48],
    what: 'requests and answers are lost for hours, and commits fail under the message',
  },
  {
    seed: 28,
    orders: [92],
    what: 'the clock is set back while a screening counts down: 61 of 60 seconds were left',
  },
  { seed: 89, orders: [66], what: 'the server is away for longer than a code lives' },
  {
    seed: 3,
    orders: [14],
    what: 'the operator approves what a merchant without IPN must confirm by PUT',
  },
]

describe('a simulated world', () => {
  it('breaks no law, no matter what fails in it', async () => {
    const { failure, tally, orders } = await simulate({
      seed: 1,
      count: 40,
      only: null,
      faults: null,
    })
    expect(failure && failureText(failure)).toBe(null)
    expect(orders).toBe(40)
    // A run without faults would prove nothing, so check that there were some.
    expect(tally.faults?.['lives ended']).toBeGreaterThan(3)
    expect(tally.faults?.['full disk']).toBeGreaterThan(0)
    expect(tally.money?.refunds).toBeGreaterThan(5)
    expect(Object.keys(tally['orders at their end'] ?? {})).toEqual(
      expect.arrayContaining(['confirmed', 'rejected', 'failed', 'expired', 'conflicted']),
    )
  })

  it('continues with another server if one is stopped while it has nothing to do', async () => {
    const { tally } = await runWorld({ seed: 2646, orders: numbers(5), faults: null })
    expect(tally.faults?.restart).toBeGreaterThan(0)
    expect(tally.faults?.['lives begun']).toBe((tally.faults?.['lives ended'] ?? 0) + 1)
    expect(tally.shoppers?.['found no shop']).toBeUndefined()
  })

  it('tells the same story for the same seed, byte for byte, and another story for another seed', async () => {
    const [first, repeated, other] = [
      await runWorld({ seed: 5, orders: numbers(10), faults: null }),
      await runWorld({ seed: 5, orders: numbers(10), faults: null }),
      await runWorld({ seed: 6, orders: numbers(10), faults: null }),
    ]
    expect(repeated.digest).toBe(first.digest)
    expect(repeated.lines).toEqual(first.lines)
    expect(other.digest).not.toBe(first.digest)
  })

  it.each(REGRESSION_SEEDS)('still holds if $what', async ({ seed, orders }) => {
    const { violations } = await runWorld({ seed, orders, faults: null })
    expect(violations).toEqual([])
  })
})

// A planted bug, which the simulation must find.
const forgetsRefunds = (store: FullStore): FullStore => {
  const forgetful: FullStore['complete'] = (entry, completion) => {
    const { decide } = completion
    return store.complete(entry, {
      ...completion,
      decide:
        decide &&
        ((order, isTaken) => {
          const decided = decide(order, isTaken)
          if (decided._tag === 'Left') return decided
          const { step, answer } = decided.right
          const effects = step.effects.filter(
            (effect) => effect.type !== 'do' || effect.payload.kind !== 'refund',
          )
          return { ...decided, right: { step: { ...step, effects }, answer } }
        }),
    })
  }
  return { ...store, complete: forgetful }
}

/** Completes each attempt of a job as if it were the first one, but for the number of its claim. */
const settlesWithOldTries = (store: FullStore): FullStore => {
  const first = new Map<string, string>()
  return {
    ...store,
    complete: (entry, ...rest) => {
      const claim = entry.token.lastIndexOf('.')
      const attempt = first.get(entry.key) ?? entry.token.slice(0, claim)
      first.set(entry.key, attempt)
      return store.complete({ ...entry, token: attempt + entry.token.slice(claim) }, ...rest)
    },
  }
}

describe('a planted bug is found, with its story', () => {
  it.each([
    {
      plant: forgetsRefunds,
      name: 'a settle that forgets the refund',
      law: 'what is due is refunded exactly once',
    },
    {
      plant: settlesWithOldTries,
      name: 'a dispatcher that settles with an old number of tries',
      law: 'attempts come to an end',
    },
  ])('$name', { timeout: 120_000 }, async ({ plant, law }) => {
    const { failure } = await simulate({
      seed: 1,
      count: 10,
      only: null,
      faults: null,
      store: plant,
    })
    expect(failure?.violation.law).toBe(law)
    const text = failure === null ? '' : failureText(failure)
    expect(text).toContain('pnpm simulate --seed 1 --only')
    expect(text).toContain('VIOLATION')
    expect(failure?.shrunk.orders.length).toBeLessThanOrEqual(2)
  })
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { minuteLimit } from './rate-limits.ts'

const MINUTE = 60_000

const openLimit = (max: number) => {
  const clock = { now: 5_000 }
  const limit = minuteLimit({ max, now: () => clock.now })
  /** Counts the key if it fits, and returns how long it would have to wait. */
  const ask = (key = 'a'): number => {
    const wait = limit.secondsUntilFree(key)
    if (wait === 0) limit.count(key)
    return wait
  }
  return { clock, limit, ask }
}

it('a limit admits all that fit, at most twice as many in any minute, and after the reported seconds', () => {
  const asking = fc.array(fc.record({ key: fc.constantFrom('a', 'b'), pause: fc.nat(30_000) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), asking, (max, times) => {
      const { clock, limit, ask } = openLimit(max)
      const passed: { readonly key: string; readonly at: number }[] = []
      return times.every(({ key, pause }) => {
        clock.now += pause
        const { now } = clock
        const lately = passed.filter((each) => each.key === key && each.at > now - MINUTE).length
        const wait = ask(key)
        if (wait === 0) passed.push({ key, at: now })
        clock.now += wait * 1000
        const isFree = limit.secondsUntilFree(key) === 0 || wait === 0
        clock.now = now
        return isFree && wait <= 60 && (wait === 0 ? lately < 2 * max : lately >= max)
      })
    }),
  )
})

it('a limit stores a limited number of keys, and drops the oldest first', () => {
  const { limit, ask } = openLimit(1)
  for (let n = 0; n < 50_001; n++) ask(`key ${n}`)
  expect([0, 1, 50_000].map((n) => limit.secondsUntilFree(`key ${n}`))).toEqual([0, 60, 60])
})

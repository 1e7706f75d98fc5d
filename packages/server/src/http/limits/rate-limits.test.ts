import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { minuteLimit } from './rate-limits.ts'

const MINUTE = 60_000

const openLimit = (max: number, instantsMax = 100_000) => {
  const clock = { now: 5_000 }
  const limit = minuteLimit({ max, now: () => clock.now, instantsMax })
  /** Counts the key if it fits, and returns how long it would have to wait. */
  const ask = (key = 'a'): number => {
    const wait = limit.secondsUntilFree(key)
    if (wait === 0) limit.count(key)
    return wait
  }
  return { clock, limit, ask }
}

describe('a limit per minute', () => {
  it('never admits more of a key in any minute, and delays none that would fit, however many were refused', () => {
    const asking = fc.array(fc.record({ key: fc.constantFrom('a', 'b'), pause: fc.nat(30_000) }), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), asking, (max, times) => {
        const { clock, ask } = openLimit(max)
        const passed: { readonly key: string; readonly at: number }[] = []
        return times.every(({ key, pause }) => {
          clock.now += pause
          const lately = passed.filter(
            (each) => each.key === key && each.at > clock.now - MINUTE,
          ).length
          const fits = ask(key) === 0
          if (fits) passed.push({ key, at: clock.now })
          return fits === lately < max
        })
      }),
    )
  })

  it('requires a wait of exactly the reported seconds', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 20 }), (pauses) => {
        const { clock, limit, ask } = openLimit(2)
        for (const pause of pauses) {
          clock.now += pause
          ask()
        }
        const wait = limit.secondsUntilFree('a')
        const advance = (seconds: number): number => {
          const before = clock.now
          clock.now += seconds * 1000
          const then = limit.secondsUntilFree('a')
          clock.now = before
          return then
        }
        return wait === 0 || (wait <= 60 && advance(wait - 1) > 0 && advance(wait) === 0)
      }),
    )
  })

  it('stores a limited number of keys, and drops the oldest first', () => {
    const { limit, ask } = openLimit(2, 2_100)
    for (let n = 0; n < 10_000; n++) ask(`key ${n}`)
    expect(limit.size()).toBe(100)
    ask('key 9999')
    expect(limit.secondsUntilFree('key 9999')).toBeGreaterThan(0)
  })

  it('drops keys after a minute without being called', () => {
    const { clock, limit, ask } = openLimit(2)
    for (let n = 0; n < 500; n++) ask(`key ${n}`)
    clock.now += MINUTE
    ask('another')
    expect(limit.size()).toBe(1)
  })
})

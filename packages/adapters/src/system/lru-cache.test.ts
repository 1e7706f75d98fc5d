import { describe, expect, it } from 'vitest'
import { createLruCache } from './lru-cache.ts'

describe('the cache of rows', () => {
  it('keeps the entries that were used last, and at most twice half of its capacity', () => {
    const memory = createLruCache<number, string>(10)
    for (let row = 0; row < 100; row++) {
      memory.set(row, `row ${row}`)
      expect(memory.get(0)).toBe('row 0')
    }
    const cached = Array.from({ length: 100 }, (_, row) => row).filter((row) => memory.get(row) !== undefined)
    expect(cached.length).toBeGreaterThanOrEqual(10)
    expect(cached.length).toBeLessThanOrEqual(20)
    expect(cached).toEqual(expect.arrayContaining([0, 98, 99]))
  })

  it('returns the latest value, and nothing after it is cleared', () => {
    const memory = createLruCache<number, string>(2)
    for (const row of [1, 2, 3]) memory.set(row, 'old')
    memory.set(1, 'new')
    expect(memory.get(1)).toBe('new')
    memory.clear()
    expect([1, 2, 3].map(memory.get)).toEqual([undefined, undefined, undefined])
  })
})

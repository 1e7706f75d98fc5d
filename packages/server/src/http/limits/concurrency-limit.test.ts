import { describe, expect, it } from 'vitest'
import { concurrencyLimit, type Release } from './concurrency-limit.ts'

const settled = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await Promise.resolve()
}

/** Enters, and shows the result so far. */
const entering = (turns: ReturnType<typeof concurrencyLimit>, key: string, onGone?: (gone: () => void) => void) => {
  const entry: { leave: Release | null | undefined } = { leave: undefined }
  void turns.acquire(key, onGone).then((leave) => {
    entry.leave = leave
  })
  return entry
}

describe('turns', () => {
  it('start immediately up to a limit per key, and then in order', async () => {
    const turns = concurrencyLimit({ maxConcurrent: 2, maxWaiting: 2 })
    const [first, second, third, fourth, fifth] = Array.from({ length: 5 }, () => entering(turns, 'a'))
    const other = entering(turns, 'b')
    await settled()
    expect([first, second, other].every((entry) => typeof entry?.leave === 'function')).toBe(true)
    expect([third?.leave, fourth?.leave, fifth?.leave]).toEqual([undefined, undefined, null])
    first?.leave?.()
    first?.leave?.()
    await settled()
    expect([typeof third?.leave, fourth?.leave]).toEqual(['function', undefined])
    second?.leave?.()
    await settled()
    expect(typeof fourth?.leave).toBe('function')
  })

  it('are refused beyond a total for all keys, until one ends', async () => {
    const turns = concurrencyLimit({ maxConcurrent: 2, maxWaiting: 2, maxTotal: 2 })
    const [a, b] = [entering(turns, 'a'), entering(turns, 'b')]
    await settled()
    expect(await turns.acquire('c')).toBeNull()
    expect(await turns.acquire('a')).toBeNull()
    a.leave?.()
    const again = await turns.acquire('c')
    expect(again).not.toBeNull()
    again?.()
    b.leave?.()
    expect(await turns.acquire('b')).not.toBeNull()
  })

  it('are waited for only for a limited time', async () => {
    const turns = concurrencyLimit({ maxConcurrent: 1, maxWaiting: 2, waitMaxMillis: 5 })
    const leave = await turns.acquire('a')
    expect(await turns.acquire('a')).toBeNull()
    leave?.()
    expect(await turns.acquire('a')).not.toBeNull()
  })

  it('are released by clients that have gone, waiting or not', async () => {
    const turns = concurrencyLimit({ maxConcurrent: 1, maxWaiting: 1 })
    const gone: (() => void)[] = []
    const note = (each: () => void): void => void gone.push(each)
    const first = entering(turns, 'a', note)
    const second = entering(turns, 'a', note)
    await settled()
    // The second is waiting. Once it is gone, another may wait.
    gone[1]?.()
    const third = entering(turns, 'a')
    await settled()
    expect([typeof first.leave, second.leave, third.leave]).toEqual(['function', null, undefined])
    gone[0]?.()
    await settled()
    expect(typeof third.leave).toBe('function')
  })

  it('leave nothing in memory', async () => {
    const turns = concurrencyLimit({ maxConcurrent: 1, maxWaiting: 1, maxTotal: 3 })
    for (let n = 0; n < 10; n++) {
      const leave = await turns.acquire(`${n}`)
      expect(leave).not.toBeNull()
      leave?.()
    }
  })
})

import { describe, expect, it } from 'vitest'
import { requestsFirst } from './requests-first.ts'

type Job = { readonly isRequest: boolean; readonly n: number }

/** A queue of requests and background work, numbered in the order of arrival. `commit` runs `after` ms after the last one. */
const aQueue = () => {
  let now = 0
  let count = 0
  let waiting: readonly Job[] = []
  const next = requestsFirst(() => now)
  const come = (isRequest: boolean, how: number): void => {
    waiting = [...waiting, ...Array.from({ length: how }, () => ({ isRequest, n: ++count }))]
  }
  return {
    requests: (how: number) => come(true, how),
    background: (how: number) => come(false, how),
    commit: (after = 1, written = 0): readonly number[] => {
      now += after
      const taken = next(waiting, written)
      waiting = waiting.filter((job) => !taken.includes(job))
      return taken.map(({ n }) => n)
    },
  }
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('the next commit', () => {
  it('contains background work in order if no request waits', () => {
    const queue = aQueue()
    queue.background(200)
    expect([queue.commit(), queue.commit()]).toEqual([numbers(1, 128), numbers(129, 200)])
  })

  it('contains everything in order if few requests wait', () => {
    const queue = aQueue()
    queue.background(20)
    queue.requests(15)
    queue.background(1)
    expect(queue.commit()).toEqual(numbers(1, 36))
  })

  it('contains only requests during a burst, and at most 128', () => {
    const queue = aQueue()
    queue.background(5)
    queue.requests(144)
    expect(queue.commit()).toEqual(numbers(6, 133))
    expect(queue.commit()).toEqual(numbers(134, 149))
    expect(queue.commit()).toEqual(numbers(1, 5))
  })

  it('contains only requests also while the others of a burst are being written', () => {
    const queue = aQueue()
    queue.background(5)
    queue.requests(2)
    expect(queue.commit(1, 14)).toEqual([6, 7])
    expect(queue.commit(1, 16)).toEqual([])
    expect(queue.commit(1, 15)).toEqual(numbers(1, 5))
  })

  /** A queue with background work that requests have overtaken for a second. */
  const afterASecond = () => {
    const queue = aQueue()
    queue.background(2)
    for (let commits = 0; commits < 11; commits++) {
      queue.requests(20)
      expect(queue.commit(100)).not.toContain(1)
    }
    return queue
  }

  it('contains everything in order after requests went first for a second', () => {
    const queue = afterASecond()
    queue.requests(20)
    expect(queue.commit()).toEqual([1, 2, ...numbers(223, 242)])
  })

  it('contains everything in order until no work was waiting or being written for a while', () => {
    const queue = afterASecond()
    queue.requests(20)
    queue.commit()
    queue.requests(1)
    queue.commit(200)
    queue.background(1)
    queue.requests(20)
    expect(queue.commit(200)).toEqual(numbers(244, 264))
    queue.background(1)
    queue.commit(200, 1)
    queue.background(1)
    queue.requests(20)
    expect(queue.commit(200)).toEqual(numbers(266, 286))
    queue.background(1)
    queue.commit(250)
    queue.background(1)
    queue.requests(20)
    expect(queue.commit()).toEqual(numbers(289, 308))
  })

  it('does not count a second in which requests overtook nothing', () => {
    const queue = aQueue()
    for (let commits = 0; commits < 30; commits++) {
      queue.requests(20)
      queue.commit(100)
    }
    queue.background(1)
    queue.requests(20)
    expect(queue.commit()).toEqual(numbers(602, 621))
  })
})

import { describe, expect, it } from 'vitest'
import { requestsFirst } from './requests-first.ts'

type Job = { readonly isRequest: boolean; readonly n: number }

/** A queue that is given requests and background work, and commits when it is told to, so many milliseconds after the last. */
const aQueue = () => {
  let now = 0
  let count = 0
  let waiting: readonly Job[] = []
  const turns = requestsFirst<Job>(() => now)
  const come = (isRequest: boolean, how: number): void => {
    waiting = [...waiting, ...Array.from({ length: how }, () => ({ isRequest, n: ++count }))]
  }
  return {
    requests: (how: number) => come(true, how),
    background: (how: number) => come(false, how),
    /** The numbers of the jobs that it commits: all it takes, or as many as there was time for. */
    commit: (after = 1, atMost = Number.POSITIVE_INFINITY): readonly number[] => {
      now += after
      const taken = turns.next(waiting).slice(0, atMost)
      waiting = waiting.filter((job) => !taken.includes(job))
      turns.left(waiting)
      return taken.map(({ n }) => n)
    },
  }
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('what the next commit takes', () => {
  it('is background work as it came, where no request waits', () => {
    const queue = aQueue()
    queue.background(200)
    expect([queue.commit(), queue.commit()]).toEqual([numbers(1, 128), numbers(129, 200)])
  })

  it('is few requests before the background work that shares their commit', () => {
    const queue = aQueue()
    queue.background(20)
    queue.requests(3)
    expect(queue.commit()).toEqual([...numbers(21, 23), ...numbers(1, 13)])
  })

  it('is requests alone while many of them come, and 128 of these at most', () => {
    const queue = aQueue()
    queue.background(5)
    queue.requests(130)
    expect(queue.commit()).toEqual(numbers(6, 133))
    queue.requests(14)
    expect(queue.commit()).toEqual(numbers(134, 149))
    expect(queue.commit()).toEqual(numbers(1, 5))
  })

  /** Background work that was left behind, and a second of commits with requests. */
  const afterASecond = () => {
    const queue = aQueue()
    queue.background(2)
    for (let commits = 0; commits < 11; commits++) {
      queue.requests(20)
      expect(queue.commit(100)).not.toContain(1)
    }
    return queue
  }

  it('is whatever came first, once requests have gone first for a second', () => {
    const queue = afterASecond()
    queue.requests(20)
    expect(queue.commit()).toEqual([1, 2, ...numbers(223, 242)])
  })

  it('stays in the order they came until no request waits, however little background work does', () => {
    const queue = afterASecond()
    queue.requests(20)
    queue.commit()
    queue.requests(1)
    queue.commit()
    queue.background(1)
    queue.requests(20)
    expect(queue.commit(5_000)).toEqual(numbers(244, 264))
    queue.background(1)
    queue.commit()
    queue.background(1)
    queue.requests(20)
    expect(queue.commit()).toEqual(numbers(267, 286))
  })

  it('counts no second in which background work kept pace', () => {
    const queue = aQueue()
    for (let commits = 0; commits < 30; commits++) {
      queue.background(1)
      queue.requests(1)
      queue.commit(100)
    }
    queue.background(1)
    queue.requests(20)
    expect(queue.commit()).toEqual(numbers(62, 81))
  })

  it('counts what there was no time for as left behind', () => {
    const queue = aQueue()
    queue.background(1)
    for (let commits = 0; commits < 11; commits++) {
      queue.requests(2)
      expect(queue.commit(100, 2)).not.toContain(1)
    }
    queue.requests(2)
    expect(queue.commit(100, 2)).toContain(1)
  })
})

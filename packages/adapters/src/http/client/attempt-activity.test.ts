import { describe, expect, it } from 'vitest'
import { watchAttempts } from './attempt-activity.ts'

/** A watch whose time is advanced by the test. */
const watchAttempt = () => {
  let now = 0
  let pending: { readonly at: number; readonly call: () => void }[] = []
  const reported: string[] = []
  const timers = {
    after: (millis: number, call: () => void) => {
      const each = { at: now + millis, call }
      pending.push(each)
      return { cancel: () => (pending = pending.filter((other) => other !== each)) }
    },
  }
  const { begin, progress, end } = watchAttempts(timers, (attempt, activity) => reported.push(`${attempt} ${activity}`))
  const pass = (millis: number): void => {
    const until = now + millis
    for (;;) {
      const [next] = pending.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
      if (next === undefined) break
      pending = pending.filter((each) => each !== next)
      now = next.at
      next.call()
    }
    now = until
  }
  const watch = (attempt = 'a') => {
    const watched = begin(attempt)
    return { progress: () => progress(watched), end: () => end(watched) }
  }
  return { watch, pass, reported, timers: () => pending.length }
}

describe('the activity of an attempt', () => {
  it('is not reported if the attempt ends soon, and no timer is left', () => {
    const { watch, pass, reported, timers } = watchAttempt()
    const attempt = watch()
    attempt.progress()
    pass(99)
    attempt.end()
    pass(1_000)
    expect([reported, timers()]).toEqual([[], 0])
  })

  it('is waiting after a lull, once', () => {
    const { watch, pass, reported, timers } = watchAttempt()
    watch()
    pass(30_000)
    expect([reported, timers()]).toEqual([['a waiting'], 0])
  })

  it('is active again as soon as the answer starts, and waits again if the answer does not end', () => {
    const { watch, pass, reported } = watchAttempt()
    const attempt = watch()
    pass(200)
    attempt.progress()
    expect(reported).toEqual(['a waiting', 'a active'])
    pass(200)
    expect(reported).toEqual(['a waiting', 'a active', 'a waiting'])
  })

  it('is not reported once the attempt has ended', () => {
    const { watch, pass, reported } = watchAttempt()
    const attempt = watch()
    pass(200)
    attempt.end()
    attempt.progress()
    pass(200)
    expect(reported).toEqual(['a waiting'])
  })

  it('is reported for each attempt separately', () => {
    const { watch, pass, reported } = watchAttempt()
    const quick = watch('quick')
    watch()
    pass(50)
    quick.end()
    pass(200)
    expect(reported).toEqual(['a waiting'])
  })
})

import { describe, expect, it } from 'vitest'
import { handTimers } from '../../../../../test/harness/time.ts'
import { watchAttempt } from './attempt-activity.ts'

/** Watches attempts whose time is advanced by the test. */
const watchAttempts = () => {
  const { timers, move, count } = handTimers()
  const reported: string[] = []
  const watch = (attempt = 'a') =>
    watchAttempt(timers, (id, activity) => reported.push(`${id} ${activity}`), attempt)
  return { watch, pass: move, reported, timers: count }
}

describe('the activity of an attempt', () => {
  it('is not reported if the attempt ends soon, and no timer is left', () => {
    const { watch, pass, reported, timers } = watchAttempts()
    const attempt = watch()
    attempt.progress()
    pass(99)
    attempt.end()
    pass(1_000)
    expect([reported, timers()]).toEqual([[], 0])
  })

  it('is waiting after a lull, once', () => {
    const { watch, pass, reported, timers } = watchAttempts()
    watch()
    pass(30_000)
    expect([reported, timers()]).toEqual([['a waiting'], 0])
  })

  it('is active again as soon as the answer starts, and waits again if the answer does not end', () => {
    const { watch, pass, reported } = watchAttempts()
    const attempt = watch()
    pass(200)
    attempt.progress()
    expect(reported).toEqual(['a waiting', 'a active'])
    pass(200)
    expect(reported).toEqual(['a waiting', 'a active', 'a waiting'])
  })

  it('is not reported once the attempt has ended', () => {
    const { watch, pass, reported } = watchAttempts()
    const attempt = watch()
    pass(200)
    attempt.end()
    attempt.progress()
    pass(200)
    expect(reported).toEqual(['a waiting'])
  })
})

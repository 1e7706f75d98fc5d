import { describe, expect, it } from 'vitest'
import type { Log } from './log.ts'
import { outageTo } from './outage.ts'

const listening = () => {
  const lines: unknown[] = []
  const log: Log = (event, fields) => void lines.push([event, fields])
  let now = 0
  let takesWrites = true
  return {
    lines,
    outage: outageTo(
      log,
      () => now,
      async () => takesWrites,
    ),
    fill: (isFull: boolean) => {
      takesWrites = !isFull
    },
    pass: (millis: number) => {
      now += millis
    },
  }
}

describe('an outage', () => {
  it('is said once, however many ask, and once more when it is over', async () => {
    const { lines, outage, pass } = listening()
    await outage.answered()
    for (let asked = 0; asked < 100; asked++) outage.unavailable('ECONNREFUSED')
    pass(5_000)
    await outage.answered()
    await outage.answered()
    expect(lines).toEqual([
      ['unavailable', { reason: 'ECONNREFUSED' }],
      ['available', { duration_ms: 5_000 }],
    ])
  })

  it('is said anew when it comes again', async () => {
    const { lines, outage } = listening()
    outage.unavailable('one')
    await outage.answered()
    outage.unavailable('another')
    expect(lines).toHaveLength(3)
  })

  it('lasts while what answers takes no writes, as on a full disk', async () => {
    const { lines, outage, fill } = listening()
    fill(true)
    outage.unavailable('database or disk is full')
    await outage.answered()
    outage.unavailable('database or disk is full')
    expect(lines).toHaveLength(1)
    fill(false)
    await outage.answered()
    expect(lines).toHaveLength(2)
  })
})

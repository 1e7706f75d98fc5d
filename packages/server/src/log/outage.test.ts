import { describe, expect, it } from 'vitest'
import type { Log } from './log.ts'
import { outageTo } from './outage.ts'

const listening = () => {
  const lines: unknown[] = []
  const log: Log = (event, fields) => void lines.push([event, fields])
  let now = 0
  return {
    lines,
    outage: outageTo(log, () => now),
    pass: (millis: number) => {
      now += millis
    },
  }
}

describe('an outage', () => {
  it('is said once, however many ask, and once more when it is over', () => {
    const { lines, outage, pass } = listening()
    outage.available()
    for (let asked = 0; asked < 100; asked++) outage.unavailable('ECONNREFUSED')
    pass(5_000)
    outage.available()
    outage.available()
    expect(lines).toEqual([
      ['unavailable', { reason: 'ECONNREFUSED' }],
      ['available', { duration_ms: 5_000 }],
    ])
  })

  it('is said anew when it comes again', () => {
    const { lines, outage } = listening()
    outage.unavailable('one')
    outage.available()
    outage.unavailable('another')
    expect(lines).toHaveLength(3)
  })
})

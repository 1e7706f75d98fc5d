import type { Unavailable } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { createErrorReporter } from './error-reporter.ts'
import type { Log } from './log.ts'

const failureOf = (code: Unavailable['code']): Unavailable => ({
  _tag: 'Unavailable',
  code,
  message: 'Ana',
})

const full = failureOf('disk_full')

const openReporter = (disk: Unavailable | null = null) => {
  const lines: unknown[] = []
  const log: Log = (event, fields) => void lines.push([event, fields])
  let now = 0
  const outage = createErrorReporter(
    log,
    () => now,
    async () => true,
    async () => disk,
  )
  const pass = (millis: number) => {
    now += millis
  }
  return { lines, outage, pass }
}

describe('an outage', () => {
  it('is one line while requests fail within a second of each other, although others are answered', async () => {
    const { lines, outage, pass } = openReporter()
    await outage.noteAnswered()
    for (let times = 0; times < 33; times++) {
      outage.noteUnavailable(full)
      pass(600)
      await outage.noteAnswered()
    }
    pass(600)
    await outage.noteAnswered()
    await outage.noteAnswered()
    expect(lines).toEqual([
      ['unavailable', { reason: full }],
      ['available', { duration_ms: 34 * 600 }],
    ])
    outage.noteUnavailable(full)
    expect(lines).toHaveLength(3)
  })

  it.each([failureOf('disk_io_error'), null])(
    'of a disk that returns no page is not called damage, as SQLite does: %j',
    async (disk) => {
      const { lines, outage } = openReporter(disk)
      const damaged = failureOf('file_damaged')
      outage.noteUnavailable(damaged)
      await Promise.resolve()
      expect(lines).toEqual([['unavailable', { reason: disk ?? damaged }]])
    },
  )
})

import type { Unavailable } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { createErrorReporter } from './error-reporter.ts'
import type { Log } from './log.ts'

const refused: Unavailable = {
  _tag: 'Unavailable',
  code: 'connection_refused',
  message: 'ECONNREFUSED',
}
const full: Unavailable = {
  _tag: 'Unavailable',
  code: 'disk_full',
  message: 'No space left on device',
}

const openReporter = () => {
  const lines: unknown[] = []
  const log: Log = (event, fields) => void lines.push([event, fields])
  let now = 0
  let takesWrites = true
  return {
    lines,
    outage: createErrorReporter(
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
  it('is logged once for any number of requests, and once more when it is over', async () => {
    const { lines, outage, pass } = openReporter()
    await outage.noteAnswered()
    for (let count = 0; count < 100; count++) outage.noteUnavailable(refused)
    pass(5_000)
    await outage.noteAnswered()
    await outage.noteAnswered()
    expect(lines).toEqual([
      ['unavailable', { reason: refused }],
      ['available', { duration_ms: 5_000 }],
    ])
  })

  it('of a disk that returns no page is not called damage, as SQLite does', async () => {
    const damaged: Unavailable = { _tag: 'Unavailable', code: 'file_damaged', message: 'malformed' }
    const dead: Unavailable = {
      _tag: 'Unavailable',
      code: 'disk_io_error',
      message: 'disk I/O error',
    }
    const codes: unknown[] = []
    for (const failure of [dead, null]) {
      const log: Log = (_, { reason }: { readonly reason?: unknown }) => void codes.push(reason)
      const outage = createErrorReporter(
        log,
        () => 0,
        async () => false,
        async () => failure,
      )
      outage.noteUnavailable(damaged)
      await Promise.resolve()
    }
    expect(codes).toEqual([dead, damaged])
  })

  it('is one while requests still fail within a second of each other, although others are answered', async () => {
    const { lines, outage, pass } = openReporter()
    for (let times = 0; times < 33; times++) {
      outage.noteUnavailable(full)
      pass(600)
      await outage.noteAnswered()
    }
    expect(lines).toHaveLength(1)
    pass(600)
    await outage.noteAnswered()
    expect(lines[1]).toEqual(['available', { duration_ms: 34 * 600 }])
  })
})

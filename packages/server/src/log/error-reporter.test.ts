import type { Unavailable } from '@plazo/core/ports'
import { expect, it } from 'vitest'
import { createErrorReporter } from './error-reporter.ts'

const failureOf = (code: Unavailable['code']): Unavailable => ({
  _tag: 'Unavailable',
  code,
  message: 'Ana',
})

it.each([failureOf('disk_io_error'), null])(
  'an outage of a disk that returns no page is not called damage, as SQLite does: %j',
  async (disk) => {
    const lines: unknown[] = []
    const outage = createErrorReporter(
      (event, fields) => void lines.push([event, fields]),
      () => 0,
      async () => true,
      async () => disk,
    )
    const damaged = failureOf('file_damaged')
    outage.noteUnavailable(damaged)
    await Promise.resolve()
    expect(lines).toEqual([['unavailable', { reason: disk ?? damaged }]])
  },
)

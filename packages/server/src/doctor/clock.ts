// Checks that the clock can be right: it is not behind a time that was recorded before, nor in a year before plazo existed.
import type { Clock, FullStore } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Finding, ok, problem } from './finding.ts'

const EARLIEST_PLAUSIBLE = Date.UTC(2025, 0, 1)
const MINUTE = 60_000

const ADVICE =
  'Set the machine’s clock and synchronise it by NTP. Signatures, schedules and one-time codes depend on it.'

/** `writtenAt`: when the database file was last written, by the same machine's clock. */
export const clockFinding = (realNow: number, writtenAt: number): Finding => {
  const now = new Date(realNow).toISOString()
  if (realNow < EARLIEST_PLAUSIBLE) return problem('clock', `it shows ${now}, which is in the past`, ADVICE)
  return writtenAt > realNow + MINUTE
    ? problem('clock', `it shows ${now}, but the database was written at ${new Date(writtenAt).toISOString()}`, ADVICE)
    : ok('clock', now)
}

const formatDuration = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${Math.round(seconds / 3600)} h`
}

/** Checks the service's own time, which orders follow and a sandbox may have moved. */
export const serviceTimeFinding = async ({ orders }: FullStore, clock: Clock, realNow: number): Promise<Finding> => {
  const newest = await orders.newest(null, 1)()
  if (E.isLeft(newest))
    return problem('service time', newest.left.message, 'The database cannot be read now. Try again.')
  const now = clock.now()
  const last = newest.right.orders[0]?.context.updatedAt ?? 0
  if (last > now + MINUTE)
    return problem(
      'service time',
      `the newest order was last changed at ${new Date(last).toISOString()}, which is in the future`,
      ADVICE,
    )
  const offset = now - realNow
  return ok(
    'service time',
    offset < 1000
      ? 'the same as the machine’s clock'
      : `moved ${formatDuration(offset)} ahead of the machine’s clock: ${new Date(now).toISOString()}`,
  )
}

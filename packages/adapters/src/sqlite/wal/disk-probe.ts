// Tells whether the database's disk can be written and flushed. While nothing is written, SQLite
// answers from its caches even if the disk is dead, and it reports a page that cannot be read as
// damage. The probe has a file of its own: if it closed the database's file, the system would drop
// SQLite's locks on that file.
import { open, rm } from 'node:fs/promises'
import type { Unavailable } from '@plazo/core/ports'
import type { Timers } from '../../system/clock-and-ids.ts'
import { errorCodeOf } from '../../system/error-code.ts'

/** Null: the disk can be written, or fails for another reason, which SQLite reports best itself. */
export type ProbeDisk = () => Promise<Unavailable | null>

const DISK_FAILURE: Unavailable = {
  _tag: 'Unavailable',
  code: 'disk_io_error',
  message: 'disk I/O error: the disk cannot be read or written',
}

// Real milliseconds. A frozen file system takes no write either, and does not say so.
const PROBE_MILLIS = 2_000
const DISK_ERRORS: ReadonlySet<string> = new Set([
  'EIO',
  'ENXIO',
  'ENODEV',
  'ESTALE',
  'ESHUTDOWN',
  'ENOTCONN',
])

const writeAndFlush = async (path: string): Promise<void> => {
  const file = await open(path, 'w', 0o600)
  try {
    await file.write('.')
    await file.sync()
  } finally {
    await file.close()
  }
  await rm(path, { force: true })
}

/**
 * `path`: of the database's file. Concurrent callers share one probe. `write`: for tests of disks
 * that fail.
 */
export const createDiskProbe = (
  path: string,
  { after }: Pick<Timers, 'after'>,
  write: (path: string) => Promise<void> = writeAndFlush,
): ProbeDisk => {
  let probing: Promise<Unavailable | null> | null = null

  const probe = async (): Promise<Unavailable | null> => {
    try {
      await write(`${path}-probe`)
      return null
    } catch (cause) {
      return DISK_ERRORS.has(errorCodeOf(cause)) ? DISK_FAILURE : null
    }
  }

  return () => {
    probing ??= probe().finally(() => {
      probing = null
    })
    const expired = Promise.withResolvers<Unavailable>()
    const timer = after(PROBE_MILLIS, () => expired.resolve(DISK_FAILURE))
    return Promise.race([probing, expired.promise]).finally(() => timer.cancel())
  }
}

// Tells whether the database's disk can be written and flushed. While nothing is written, SQLite
// answers from its caches even if the disk is dead, and it reports a page that cannot be read as
// damage. The probe has a file of its own: if it closed the database's file, the system would drop
// SQLite's locks on that file.
import { rm, writeFile } from 'node:fs/promises'
import type { Unavailable } from '@plazo/core/ports'
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
const DISK_ERROR = /^(EIO|ENXIO|ENODEV|ESTALE|ESHUTDOWN|ENOTCONN)$/

/** `path`: of the database's file. Concurrent callers share one probe. */
export const createDiskProbe = (path: string): ProbeDisk => {
  const file = `${path}-probe`
  let probing: Promise<Unavailable | null> | null = null

  const probe = async (): Promise<Unavailable | null> => {
    try {
      await writeFile(file, '.', { mode: 0o600, flush: true })
      await rm(file, { force: true })
      return null
    } catch (cause) {
      return DISK_ERROR.test(errorCodeOf(cause)) ? DISK_FAILURE : null
    } finally {
      probing = null
    }
  }

  return () => {
    probing ??= probe()
    const expiry = new Promise<Unavailable>((resolve) =>
      setTimeout(resolve, PROBE_MILLIS, DISK_FAILURE).unref(),
    )
    return Promise.race([probing, expiry])
  }
}

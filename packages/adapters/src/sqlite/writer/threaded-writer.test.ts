import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { newKeyring } from '../../encryption/keyring.ts'
import type { Committed } from '../../sql/order-writes.ts'
import { openDataKeys } from '../encryption/data-keys.ts'
import { openDatabase } from '../schema/database.ts'
import type { Batch } from './commands.ts'
import { threadedWriter } from './threaded-writer.ts'

const keyring = newKeyring()

const writeHere = (batch: Batch): Committed<unknown> => ({
  outcomes: batch.commands.map(() => E.right('here')),
  nextDueAt: Number.POSITIVE_INFINITY,
})

const aBatch: Batch = {
  commands: [{ name: 'probe', input: undefined }],
  now: 0,
}

/** Writes in another thread to the database at the path. */
const writingAt = (path: string, after: number) => {
  const data = { path, keyring, boot: 'boot', patience: 12 }
  const settings = { ...data, monotonicNow: () => 0, onCommit: undefined, after }
  const writing = threadedWriter(writeHere, settings)
  return {
    write: () => writing.write(aBatch),
    close: writing.close,
  }
}

describe('a writer thread that ends', () => {
  it('fails its unanswered commands, which may have been written, and is started again by the next write', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'plazo-'))
    const path = join(parent, 'plazo.db')
    // A folder is not a database, so the thread ends before it is ready.
    mkdirSync(path)
    const { write, close } = writingAt(path, 0)
    for (let times = 0; times < 2; times++)
      expect(await write()).toEqual({
        outcomes: [
          unavailable('outcome_unknown', 'The thread that writes has ended: SqliteError.'),
        ],
        nextDueAt: Number.NEGATIVE_INFINITY,
      })
    rmSync(path, { recursive: true })
    const db = openDatabase(path)
    openDataKeys(db, keyring)
    db.close()
    expect((await write()).outcomes).toEqual([E.right(undefined)])
    await close()
    rmSync(parent, { recursive: true })
  })

  it('blocks no write meanwhile if writing on the main thread is allowed', async () => {
    const { write, close } = writingAt(import.meta.dirname, 2)
    for (let times = 0; times < 5; times++)
      expect((await write()).outcomes).toEqual([E.right('here')])
    await close()
    expect((await write()).outcomes).toEqual([E.right('here')])
  })
})

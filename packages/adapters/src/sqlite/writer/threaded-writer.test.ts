import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { newKeyring } from '../../encryption/keyring.ts'
import { openDatabase } from '../schema/database.ts'
import { threadedWriter } from './threaded-writer.ts'
import type { PlainChange, Writer } from './writer.ts'

const CHANGED = E.right({ as: 'changed' })
const WRITTEN_HERE = E.right({ as: 'taken' })

const writeHere: Writer = (changes) => changes.map(() => E.right({ as: 'taken' }))

/** A change of an order that does not exist. */
const aChange: PlainChange = {
  ref: 'none',
  row: { id: 0, version: 0, key: { keyId: 'none', tag: 0, ciphertext: Buffer.alloc(0) } },
  placed: null,
  snapshot: null,
  lines: [],
  jobCount: 0,
  added: [],
  put: [],
  dropped: [],
  attempts: [],
  endpoints: [],
}

/** Writes in another thread to the database at the path. */
const writingAt = (path: string, after: number) => {
  const data = { path, keyring: newKeyring() }
  const { write, close } = threadedWriter(writeHere, { ...data, after })
  return { write: () => write([aChange]), close }
}

describe('a writer thread that ends', () => {
  it('fails its unanswered changes, which may have been written, and is started again by the next write', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'plazo-'))
    const path = join(parent, 'plazo.db')
    // A folder is not a database, so the thread ends before it is ready.
    mkdirSync(path)
    const { write, close } = writingAt(path, 0)
    for (let times = 0; times < 2; times++)
      expect(await write()).toEqual([
        unavailable('outcome_unknown', 'The thread that writes has ended: SqliteError.'),
      ])
    rmSync(path, { recursive: true })
    openDatabase(path).close()
    expect(await write()).toEqual([CHANGED])
    await close()
    rmSync(parent, { recursive: true })
  })

  it('blocks no write meanwhile if writing on the main thread is allowed', async () => {
    const { write, close } = writingAt(import.meta.dirname, 2)
    for (let times = 0; times < 5; times++) expect(await write()).toEqual([WRITTEN_HERE])
    await close()
    expect(await write()).toEqual([WRITTEN_HERE])
  })
})

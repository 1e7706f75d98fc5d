// Decrypts the payloads of jobs. Payloads that this process created are cached by the effect's key: most are due at once, and
// the process that created them runs them.
import { type Effect, effectKeyParts, type Work } from '@plazo/core'
import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { placeOfWork } from '../rows/places.ts'
import { isPlain, plainWorkFrom } from '../rows/plain-work.ts'
import type { Database } from './database.ts'
import type { Vault } from './vault.ts'
import type { ClaimedEntry } from './writer/calls.ts'

type WorkRow = { readonly order_id: number; readonly work: Buffer | string }

export type Works = {
  /** Call after they have been committed. */
  readonly remember: (effects: readonly Effect[]) => void
  /** Throws if the payload is missing, or was not encrypted for this place. */
  readonly of: (entry: ClaimedEntry) => Work
}

// The payloads of a burst may wait for a while. Those without personal data, such as timers that wait for hours, are not
// cached: they need no decryption.
const REMEMBERED_HALF = 32_000

export const sqliteWorks = (db: Database, vault: Vault): Works => {
  const read = db.prepare<[number], WorkRow>('select order_id, work from outbox where id = ?')
  const made = memoryOfRows<string, Work>(REMEMBERED_HALF)
  vault.onForget(made.clear)

  const opened = ({ id, key }: ClaimedEntry): Work => {
    const row = read.get(id)
    if (row === undefined) throw new Error('It is not known what it is to do.')
    if (typeof row.work === 'string') return plainWorkFrom(row.work)
    const { revision, lane } = effectKeyParts(key)
    return JSON.parse(vault.open(row.order_id, placeOfWork(revision, lane), row.work)) as Work
  }

  return {
    remember: (effects) => {
      for (const effect of effects) if (effect.type === 'do' && !isPlain(effect.work)) made.set(effect.key, effect.work)
    },
    of: (entry) => made.get(entry.key) ?? opened(entry),
  }
}

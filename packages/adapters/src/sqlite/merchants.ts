// Merchants and their accounts in SQLite. Every request needs them, so they are cached until a
// merchant changes. The database itself counts the changes, so that a change by the command line is
// seen at once.
import type { Merchants } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Cipher } from '../encryption/cipher.ts'
import { createBoundedCache } from '../sql/bounded-cache.ts'
import { CACHED_MERCHANTS_MAX, createMerchantRows, type MerchantRow } from '../sql/merchant-rows.ts'
import { createMerchants, type StoredMerchant } from '../sql/merchants.ts'
import { createChangeDetector } from './encryption/data-keys.ts'
import { assertOutsideTransaction, type Database } from './schema/database.ts'
import { runOrUnavailable, valueOrUnavailable } from './unavailable.ts'

export const sqliteMerchants = (db: Database, cipher: Cipher): Merchants => {
  const { encode, decode } = createMerchantRows(cipher)
  const cache = createBoundedCache<string, readonly StoredMerchant[]>(CACHED_MERCHANTS_MAX)
  const haveChanged = createChangeDetector(db, 'merchant')

  const prepareRead = <Values extends unknown[]>(condition: string) =>
    db.prepare<Values, MerchantRow>(
      `select about, secrets from merchants where ${condition} order by id`,
    )
  const namedBy = {
    ref: prepareRead<[string]>('ref = ?'),
    username: prepareRead<[string]>('username = ?'),
  }
  const all = prepareRead<[]>('true')
  const related = prepareRead<[string | null, string]>(
    'username in (?, (select username from merchants where ref = ?))',
  )
  const write = db.prepare(`
    insert into merchants (ref, username, about, secrets) values (?, ?, ?, ?)
    on conflict (ref) do update set about = excluded.about, secrets = excluded.secrets`)

  const read = (column: 'ref' | 'username', name: string): readonly StoredMerchant[] => {
    if (haveChanged()) cache.clear()
    const key = `${column} ${name}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const rows = namedBy[column].all(name).map(decode)
    // Unknown names would push merchants out of the cache.
    if (rows.length > 0) cache.set(key, rows)
    return rows
  }

  return createMerchants({
    read: (column, name) => valueOrUnavailable(() => read(column, name)),
    list: () => valueOrUnavailable(() => all.all().map(decode)),
    update: (ref, username, decide) => {
      const run = db.transaction(() => {
        const decided = decide(related.all(username, ref).map(decode))
        if (E.isLeft(decided)) return decided
        for (const row of decided.right) {
          const { about, secrets } = encode(row)
          write.run(row.merchant.ref, row.merchant.username, about, secrets)
        }
        return decided
      })
      return runOrUnavailable(() => {
        assertOutsideTransaction(db)
        return run.immediate()
      })
    },
  })
}

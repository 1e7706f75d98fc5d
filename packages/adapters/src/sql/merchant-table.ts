// Merchants in both SQL stores: readable, except for their secrets, which are encrypted under a master
// key. They are read at every use, many in one statement, so that a change by another node or by the
// command line takes effect at once. Decrypting costs more than reading, so its results are cached.
import type { Merchant, Merchants } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { aadForSecret } from '../encryption/cipher.ts'
import { batchCalls } from './batch-calls.ts'
import { createBoundedCache } from './bounded-cache.ts'
import { ask, type Dialect } from './dialect.ts'
import { createMerchants, type StoredMerchant } from './merchants.ts'

/** `about`: JSON, without secrets. `secrets`: JSON, encrypted. */
type MerchantRow = { readonly about: string; readonly secrets: string }

type Secrets = Pick<Merchant, 'signatureSecret'> & Pick<StoredMerchant, 'former'>

const DECODED_MAX = 10_000
const BATCH_MAX = 200

// PostgreSQL cannot store any other name.
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

// A username may contain any character, so it is stored as JSON.
const encodeUsername = (username: string | null) => username && JSON.stringify(username)

export const createSqlMerchants = (dialect: Dialect): Merchants => {
  const { schema, query, orUnavailable } = dialect
  const { cipher } = dialect.sealer
  const decoded = createBoundedCache<string, StoredMerchant>(DECODED_MAX)

  const decode = ({ about, secrets }: MerchantRow): StoredMerchant => {
    const cached = decoded.get(about + secrets)
    if (cached !== undefined) return cached
    const others: Omit<Merchant, 'signatureSecret'> = JSON.parse(about)
    const decrypted = cipher.decryptSecret(aadForSecret(others.ref), secrets)
    const { signatureSecret, former }: Secrets = JSON.parse(decrypted)
    const row = { merchant: { ...others, signatureSecret }, former }
    decoded.set(about + secrets, row)
    return row
  }

  // The sum keeps PostgreSQL from walking all merchants by their id.
  const select = (source: string): string =>
    `select m.about, m.secrets from ${source} order by m.id + 0`

  const readBy = (column: 'ref' | 'username') =>
    batchCalls(async (names: readonly string[]) => {
      const stored = [...new Set(names)]
        .map((name) => ({ name: column === 'ref' ? name : JSON.stringify(name) }))
        .filter(({ name }) => isStorable(name))
      const json = JSON.stringify(stored)
      const rows = await query<MerchantRow>(
        (bind) =>
          select(
            `${dialect.jsonElements}(${bind(json)}) join ${schema}merchants m on m.${column} = value ->> 'name'`,
          ),
        `merchants-by-${column}`,
      )
      const found = Map.groupBy(rows.map(decode), ({ merchant }) => merchant[column])
      return names.map((name) => found.get(name) ?? [])
    }, BATCH_MAX)
  const read = { ref: readBy('ref'), username: readBy('username') }

  return createMerchants({
    read: (column, name) => orUnavailable(() => read[column](name)),

    list: () =>
      orUnavailable(async () => {
        const rows = await query<MerchantRow>(() => select(`${schema}merchants m`))
        return rows.map(decode)
      }),

    update: (ref, username, decide) =>
      dialect.transaction(function* () {
        // Other writers wait, because they decide on what they have read. Readers do not.
        yield* ask(() => dialect.lockTable('merchants'))
        const related = yield* ask<MerchantRow>((bind) =>
          select(`${schema}merchants m
                where username in (${bind(encodeUsername(username))}, (select username from ${schema}merchants where ref = ${bind(ref)}))`),
        )
        const decided = decide(related.map(decode))
        if (E.isLeft(decided)) return decided
        if (!isStorable(ref))
          throw new Error('A reference contains characters that PostgreSQL cannot store.')
        for (const { merchant, former } of decided.right) {
          const { signatureSecret, ...about } = merchant
          const secrets = cipher.encryptSecret(
            aadForSecret(merchant.ref),
            JSON.stringify({ signatureSecret, former }),
          )
          const values = [
            merchant.ref,
            encodeUsername(merchant.username),
            JSON.stringify(about),
            secrets,
          ]
          yield* ask(
            (bind) => `
                  insert into ${schema}merchants (ref, username, about, secrets) values (${values.map(bind).join(', ')})
                  on conflict (ref) do update set about = excluded.about, secrets = excluded.secrets`,
          )
        }
        return decided
      }),
  })
}

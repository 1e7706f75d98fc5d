// Merchants and their accounts in PostgreSQL. They are read at every use, many in one statement, so
// that a change by another node or by the command line takes effect at once.
import type { Merchants } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Cipher } from '../encryption/cipher.ts'
import { batchReads } from '../sql/batch-reads.ts'
import { createMerchantRows, type MerchantRow } from '../sql/merchant-rows.ts'
import { createMerchants } from '../sql/merchants.ts'
import { type Connection, statement } from './connection/connection.ts'
import { encodeText, isText } from './sql/values.ts'
import { answerOrUnavailable, runOrUnavailable } from './unavailable.ts'

const SELECT = 'select about, secrets from plazo.merchants'

const BY_REF = statement('merchants-by-ref')`${SELECT} where ref = any ($1::text[])`

const BY_USERNAME = statement(
  'merchants-by-username',
)`${SELECT} where username = any ($1::text[]) order by id`

const ALL = statement('merchants-all')`${SELECT} order by id`

const RELATED = statement('merchants-related')`
  ${SELECT} where username in ($1, (select username from plazo.merchants where ref = $2)) order by id`

/**
 * Writers run one after another, and read under this lock what they decide on. Readers do not wait.
 */
const LOCK_MERCHANTS = statement(
  'merchants-lock',
)`lock table plazo.merchants in share row exclusive mode`

const WRITE = statement('merchant-write')`
  insert into plazo.merchants (ref, username, about, secrets) values ($1, $2, $3, $4)
  on conflict (ref) do update set about = excluded.about, secrets = excluded.secrets`

const BATCH_MAX = 200

export const postgresMerchants = (
  { query, transaction }: Connection,
  cipher: Cipher,
): Merchants => {
  const { encode, decode } = createMerchantRows(cipher)

  const byRef = batchReads(
    isText,
    async (refs) => {
      const rows = (await query<MerchantRow>(BY_REF, refs)).map(decode)
      return Map.groupBy(rows, ({ merchant }) => merchant.ref)
    },
    BATCH_MAX,
  )

  const byUsername = batchReads(
    () => true,
    async (usernames) => {
      const rows = (await query<MerchantRow>(BY_USERNAME, usernames.map(encodeText))).map(decode)
      return Map.groupBy(rows, ({ merchant }) => merchant.username)
    },
    BATCH_MAX,
  )

  return createMerchants({
    read: (column, name) =>
      answerOrUnavailable(async () => (await (column === 'ref' ? byRef : byUsername)(name)) ?? []),
    list: () => answerOrUnavailable(async () => (await query<MerchantRow>(ALL)).map(decode)),
    update: (ref, username, decide) =>
      runOrUnavailable(() =>
        transaction(async (ask) => {
          await ask(LOCK_MERCHANTS)
          const account = username === null ? null : encodeText(username)
          const rows = isText(ref) ? await ask<MerchantRow>(RELATED, account, ref) : []
          const decided = decide(rows.map(decode))
          if (E.isLeft(decided)) return decided
          if (!isText(ref))
            throw new Error('A reference contains characters that PostgreSQL cannot store.')
          for (const row of decided.right) {
            const { about, secrets } = encode(row)
            await ask(WRITE, row.merchant.ref, encodeText(row.merchant.username), about, secrets)
          }
          return decided
        }),
      ),
  })
}

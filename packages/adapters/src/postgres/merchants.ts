// Merchants and their accounts in PostgreSQL. They are read at every use, many in one statement, so
// that a change by another node or by the command line takes effect at once.
import type {
  AccountDiffers,
  Merchant,
  MerchantExists,
  MerchantNotFound,
  Merchants,
  SecretUnchanged,
} from '@plazo/core/ports'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import type { Cipher } from '../encryption/cipher.ts'
import { batchReads } from '../sql/batch-reads.ts'
import { createMerchantSecrets } from '../sql/merchant-secrets.ts'
import { type Connection, type Query, statement } from './connection/connection.ts'
import { registerKey } from './encryption/master-keys.ts'
import { encodeText, isText } from './sql/values.ts'
import { answerOrUnavailable, runOrUnavailable } from './unavailable.ts'

type MerchantSettings = Omit<Merchant, 'ref' | 'username' | 'passwordHash' | 'signatureSecret'>

type MerchantRow = {
  readonly id: number
  readonly ref: string
  /** JSON-encoded. */
  readonly username: string
  readonly about: MerchantSettings
  readonly password_hash: string
  readonly signature_secret: string
  /** The latest first. */
  readonly retired: readonly {
    readonly id: number
    readonly secret: string
    readonly signs_until: number
  }[]
}

/** The former secrets that still sign, the latest first. */
const formerAt = ({ retired }: MerchantRow, at: number): MerchantRow['retired'] =>
  retired.filter(({ signs_until }) => signs_until > at)

const SELECT = `
  select m.id, m.ref, m.username, m.about, m.password_hash, m.signature_secret, coalesce((
    select json_agg(json_build_object('id', r.id, 'secret', r.secret, 'signs_until', r.signs_until) order by r.id desc)
    from plazo.retired_secrets r where r.merchant_id = m.id), '[]') as retired
  from plazo.merchants m`

const BY_REF = statement('merchants-by-ref')`${SELECT} where m.ref = any ($1::text[])`

const BY_USERNAME = statement(
  'merchants-by-username',
)`${SELECT} where m.username = any ($1::text[]) order by m.id`

const ALL = statement('merchants-all')`${SELECT} order by m.id`

/**
 * Writers run one after another, and read under this lock what they decide on. Readers do not wait.
 */
export const LOCK_MERCHANTS = statement(
  'merchants-lock',
)`lock table plazo.merchants in share row exclusive mode`

const INSERT = statement('merchant-insert')`
  insert into plazo.merchants (ref, username, about, password_hash, signature_secret)
  values ($1, $2, $3, $4, $5)`

const UPDATE_SETTINGS = statement(
  'merchant-about',
)`update plazo.merchants set about = $2 where id = $1`

const SET_PASSWORD = statement(
  'account-password',
)`update plazo.merchants set password_hash = $2 where username = $1`

const SET_SECRET = statement(
  'merchant-secret',
)`update plazo.merchants set signature_secret = $2 where id = $1`

const INSERT_RETIRED = statement('secret-retire')`
  insert into plazo.retired_secrets (merchant_id, secret, signs_until) values ($1, $2, $3)`

const DELETE_RETIRED = statement(
  'secrets-end',
)`delete from plazo.retired_secrets where id = any ($1::bigint[])`

const BATCH_MAX = 200

const settingsOf = ({
  ref,
  username,
  passwordHash,
  signatureSecret,
  ...settings
}: Merchant): MerchantSettings => settings

export const postgresMerchants = (
  { query, transaction }: Connection,
  cipher: Cipher,
): Merchants => {
  const { decryptSecret, encryptSecret } = createMerchantSecrets(cipher)

  const merchantOf = ({
    ref,
    username,
    about,
    password_hash,
    signature_secret,
  }: MerchantRow): Merchant => ({
    ref,
    username: JSON.parse(username) as string,
    passwordHash: password_hash,
    signatureSecret: decryptSecret(ref, signature_secret),
    ...about,
  })

  const byRef = batchReads(
    isText,
    async (refs) => {
      const rows = await query<MerchantRow>(BY_REF, refs)
      return new Map(rows.map((row) => [row.ref, row]))
    },
    BATCH_MAX,
  )

  const byUsername = batchReads(
    () => true,
    async (usernames) =>
      Map.groupBy(await query<MerchantRow>(BY_USERNAME, usernames), ({ username }) => username),
    BATCH_MAX,
  )

  const runLocked = <Err, A>(run: (ask: Query) => Promise<E.Either<Err, A>>) =>
    runOrUnavailable(() =>
      transaction(async (ask) => {
        await ask(LOCK_MERCHANTS)
        return run(ask)
      }),
    )

  const findRow = async (ask: Query, ref: string): Promise<MerchantRow | undefined> =>
    isText(ref) ? (await ask<MerchantRow>(BY_REF, [ref]))[0] : undefined

  const notFound = (ref: string) => E.left<MerchantNotFound>({ _tag: 'MerchantNotFound', ref })

  return {
    find: (ref) =>
      answerOrUnavailable(async () => {
        const row = await byRef(ref)
        return row === undefined ? null : merchantOf(row)
      }),

    ofAccount: (username) =>
      answerOrUnavailable(async () =>
        ((await byUsername(encodeText(username))) ?? []).map(merchantOf),
      ),

    list: () => answerOrUnavailable(async () => (await query<MerchantRow>(ALL)).map(merchantOf)),

    add: (merchant) =>
      runLocked(async (ask): Promise<E.Either<MerchantExists | AccountDiffers, void>> => {
        const { ref, username, passwordHash } = merchant
        if (!isText(ref))
          throw new Error('A reference contains characters that PostgreSQL cannot store.')
        if ((await findRow(ask, ref)) !== undefined) return E.left({ _tag: 'MerchantExists', ref })
        const [sibling] = await ask<MerchantRow>(BY_USERNAME, [encodeText(username)])
        if (sibling !== undefined && sibling.password_hash !== passwordHash)
          return E.left({ _tag: 'AccountDiffers', username })
        await registerKey(ask, cipher)
        await ask(
          INSERT,
          ref,
          encodeText(username),
          JSON.stringify(settingsOf(merchant)),
          passwordHash,
          encryptSecret(ref, merchant.signatureSecret),
        )
        return E.right(undefined)
      }),

    change: (ref, { passwordHash, ...changes }) =>
      runLocked(async (ask) => {
        const row = await findRow(ask, ref)
        if (row === undefined) return notFound(ref)
        const changed = {
          ...merchantOf(row),
          ...changes,
          ...(passwordHash !== undefined && { passwordHash }),
        }
        await ask(UPDATE_SETTINGS, row.id, JSON.stringify(settingsOf(changed)))
        if (passwordHash !== undefined) await ask(SET_PASSWORD, row.username, passwordHash)
        return E.right(changed)
      }),

    rotateSecret: (ref, secret, at) =>
      runLocked(async (ask): Promise<E.Either<MerchantNotFound | SecretUnchanged, void>> => {
        const row = await findRow(ask, ref)
        if (row === undefined) return notFound(ref)
        if (decryptSecret(ref, row.signature_secret) === secret)
          return E.left({ _tag: 'SecretUnchanged' })
        const expired = row.retired.filter(
          (old) => old.signs_until <= at || decryptSecret(ref, old.secret) === secret,
        )
        const ids = expired.map(({ id }) => id)
        await ask(DELETE_RETIRED, ids)
        await ask(INSERT_RETIRED, row.id, row.signature_secret, at + SECRET_OVERLAP)
        await registerKey(ask, cipher)
        await ask(SET_SECRET, row.id, encryptSecret(ref, secret))
        return E.right(undefined)
      }),

    liveSecrets: (ref, at) =>
      answerOrUnavailable(async () => {
        const row = await byRef(ref)
        if (row === undefined) return []
        const signing = formerAt(row, at).map(({ secret }) => secret)
        return [row.signature_secret, ...signing].map((secret) => decryptSecret(ref, secret))
      }),

    secretOverlapEnd: (ref, at) =>
      answerOrUnavailable(async () => {
        const row = await byRef(ref)
        return (row && formerAt(row, at)[0]?.signs_until) ?? null
      }),
  }
}

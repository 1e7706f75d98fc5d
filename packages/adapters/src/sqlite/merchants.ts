// Merchants and their accounts in SQLite. Every request needs them, so they are cached until a
// merchant changes. The database itself counts the changes, so that a change by the command line is
// seen at once.
import type {
  AccountDiffers,
  Merchant,
  MerchantChange,
  MerchantExists,
  MerchantNotFound,
  Merchants,
  SecretUnchanged,
} from '@plazo/core/ports'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import type { Cipher } from '../encryption/cipher.ts'
import { type BoundedCache, createBoundedCache } from '../sql/bounded-cache.ts'
import { createMerchantSecrets } from '../sql/merchant-secrets.ts'
import { createChangeDetector } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { valueOrUnavailable, writeOrUnavailable } from './unavailable.ts'

const CACHE_MAX = 10_000

/** `encryptedSecret`: the current signature secret. The lists are separated by commas. */
type MerchantRow = Omit<
  Merchant,
  'signatureSecret' | 'products' | 'optionalFields' | 'sendActionEvents'
> & {
  readonly id: number
  readonly encryptedSecret: string
  readonly products: string
  readonly optionalFields: string
  readonly sendActionEvents: number
}

const MERCHANTS = `
  select id, ref, name, username, password_hash as passwordHash, signature_secret as encryptedSecret, country, currency,
    products, optional_fields as optionalFields, send_action_events as sendActionEvents
  from merchants`

const splitList = (text: string): readonly string[] => (text === '' ? [] : text.split(','))

/** The values to bind by name. */
const columnsOf = (merchant: Merchant) => ({
  ...merchant,
  products: merchant.products.join(','),
  optionalFields: merchant.optionalFields.join(','),
  sendActionEvents: merchant.sendActionEvents ? 1 : 0,
})

/** A secret that signs until an instant. The current one has no end. */
type SigningSecret = { readonly secret: string; readonly signsUntil: number }

export const sqliteMerchants = (db: Database, cipher: Cipher): Merchants => {
  const { decryptSecret, encryptSecret } = createMerchantSecrets(cipher)
  const accounts = createBoundedCache<string, readonly Merchant[]>(CACHE_MAX)
  const secrets = createBoundedCache<string, readonly SigningSecret[]>(CACHE_MAX)
  const haveChanged = createChangeDetector(db, 'merchant')

  /**
   * Calls `read` and caches its result until a merchant changes. An empty list has no merchant and
   * is not cached.
   */
  const readCached = <A extends object>(
    cache: BoundedCache<string, readonly A[]>,
    name: string,
    read: () => readonly A[],
  ): readonly A[] => {
    if (haveChanged()) {
      accounts.clear()
      secrets.clear()
    }
    const cached = cache.get(name)
    if (cached !== undefined) return cached
    const items = read()
    if (items.length > 0) cache.set(name, items)
    return items
  }

  const merchantOf = ({ id: _, encryptedSecret, ...row }: MerchantRow): Merchant => ({
    ...row,
    signatureSecret: decryptSecret(row.ref, encryptedSecret),
    products: splitList(row.products),
    optionalFields: splitList(row.optionalFields),
    sendActionEvents: row.sendActionEvents === 1,
  })

  const byRef = db.prepare<[string], MerchantRow>(`${MERCHANTS} where ref = ?`)
  const byUsername = db.prepare<[string], MerchantRow>(
    `${MERCHANTS} where username = ? order by id`,
  )
  const all = db.prepare<[], MerchantRow>(`${MERCHANTS} order by id`)
  const insert = db.prepare(`
    insert into merchants (ref, name, username, password_hash, signature_secret, country, currency, products, optional_fields,
      send_action_events)
    values (@ref, @name, @username, @passwordHash, @encryptedSecret, @country, @currency, @products, @optionalFields,
      @sendActionEvents)`)

  const notFound = (ref: string) => E.left<MerchantNotFound>({ _tag: 'MerchantNotFound', ref })

  const add = db.transaction(
    (merchant: Merchant): E.Either<MerchantExists | AccountDiffers, void> => {
      const { ref, username, passwordHash, signatureSecret } = merchant
      if (byRef.get(ref) !== undefined) return E.left({ _tag: 'MerchantExists', ref })
      const [sibling] = byUsername.all(username)
      if (sibling !== undefined && sibling.passwordHash !== passwordHash)
        return E.left({ _tag: 'AccountDiffers', username })
      insert.run({ ...columnsOf(merchant), encryptedSecret: encryptSecret(ref, signatureSecret) })
      return E.right(undefined)
    },
  )

  const update = db.prepare(`
    update merchants set name = @name, country = @country, currency = @currency, products = @products,
      optional_fields = @optionalFields, send_action_events = @sendActionEvents
    where ref = @ref`)
  const updatePassword = db.prepare('update merchants set password_hash = ? where username = ?')

  const change = db.transaction(
    (ref: string, changes: MerchantChange): E.Either<MerchantNotFound, Merchant> => {
      const row = byRef.get(ref)
      if (row === undefined) return notFound(ref)
      const changed = { ...merchantOf(row), ...changes }
      update.run(columnsOf(changed))
      if (changes.passwordHash !== undefined) updatePassword.run(changes.passwordHash, row.username)
      return E.right(changed)
    },
  )

  const replaceSecret = db.prepare('update merchants set signature_secret = ? where id = ?')
  const insertRetired = db.prepare(
    'insert into retired_secrets (merchant_id, secret, signs_until) values (?, ?, ?)',
  )
  const deleteRetired = db.prepare('delete from retired_secrets where id = ?')
  const retired = db.prepare<[number], SigningSecret & { readonly id: number }>(
    'select id, secret, signs_until as signsUntil from retired_secrets where merchant_id = ? order by id desc',
  )

  const retiredOf = ({ id, ref }: MerchantRow) =>
    retired.all(id).map((row) => ({ ...row, secret: decryptSecret(ref, row.secret) }))

  const secretsOf = (row: MerchantRow): readonly SigningSecret[] => [
    { secret: decryptSecret(row.ref, row.encryptedSecret), signsUntil: Number.POSITIVE_INFINITY },
    ...retiredOf(row),
  ]

  const signingAt = (ref: string, at: number): readonly SigningSecret[] =>
    readCached(secrets, ref, () => byRef.all(ref).flatMap(secretsOf)).filter(
      ({ signsUntil }) => signsUntil > at,
    )

  const rotate = db.transaction(
    (
      ref: string,
      secret: string,
      at: number,
    ): E.Either<MerchantNotFound | SecretUnchanged, void> => {
      const row = byRef.get(ref)
      if (row === undefined) return notFound(ref)
      if (decryptSecret(ref, row.encryptedSecret) === secret)
        return E.left({ _tag: 'SecretUnchanged' })
      for (const old of retiredOf(row))
        if (old.secret === secret || old.signsUntil <= at) deleteRetired.run(old.id)
      insertRetired.run(row.id, row.encryptedSecret, at + SECRET_OVERLAP)
      replaceSecret.run(encryptSecret(ref, secret), row.id)
      return E.right(undefined)
    },
  )

  return {
    find: (ref) => valueOrUnavailable(() => byRef.all(ref).map(merchantOf)[0] ?? null),
    ofAccount: (username) =>
      valueOrUnavailable(() =>
        readCached(accounts, username, () => byUsername.all(username).map(merchantOf)),
      ),
    list: () => valueOrUnavailable(() => all.all().map(merchantOf)),
    add: (merchant) => writeOrUnavailable(db, () => add.immediate(merchant)),
    change: (ref, changes) => writeOrUnavailable(db, () => change.immediate(ref, changes)),
    rotateSecret: (ref, secret, at) =>
      writeOrUnavailable(db, () => rotate.immediate(ref, secret, at)),
    liveSecrets: (ref, at) =>
      valueOrUnavailable(() => signingAt(ref, at).map(({ secret }) => secret)),
    secretOverlapEnd: (ref, at) =>
      valueOrUnavailable(() => signingAt(ref, at)[1]?.signsUntil ?? null),
  }
}

// Merchants and their accounts in SQLite. Every request needs them, so they are cached until a merchant changes. The database
// itself counts the changes, so that a change by the command line is seen at once.
import type {
  AccountDiffers,
  Merchant,
  MerchantChange,
  MerchantExists,
  MerchantNotFound,
  Merchants,
  SecretUnchanged,
  Unavailable,
} from '@plazo/core'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { aadForSecret, type Cipher } from '../encryption/cipher.ts'
import { createChangeDetector } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { runOrUnavailable } from './unavailable.ts'

const CACHE_MAX = 10_000

/** The signature secrets of a merchant: the current one, and those that it has replaced. */
type Secrets = { readonly current: string; readonly retired: readonly RetiredSecret[] }
type RetiredSecret = { readonly id: number; readonly secret: string; readonly signs_until: number }

type MerchantRow = {
  readonly id: number
  readonly ref: string
  readonly name: string
  readonly username: string
  readonly password_hash: string
  readonly signature_secret: string
  readonly country: string | null
  readonly currency: string
  readonly products: string
  readonly optional_fields: string
  readonly send_action_events: number
}

const splitList = (text: string): readonly string[] => (text === '' ? [] : text.split(','))

const merchantFrom = (row: MerchantRow, signatureSecret: string): Merchant => ({
  ref: row.ref,
  name: row.name,
  username: row.username,
  passwordHash: row.password_hash,
  signatureSecret,
  country: row.country,
  currency: row.currency,
  products: splitList(row.products),
  optionalFields: splitList(row.optional_fields),
  sendActionEvents: row.send_action_events === 1,
})

export const sqliteMerchants = (db: Database, cipher: Cipher): Merchants => {
  // Decrypted secrets by their ciphertext: decrypting costs more than reading, and secrets seldom change.
  const decryptedSecrets = new Map<string, string>()

  const decryptSecret = (ref: string, ciphertext: string): string => {
    const cached = decryptedSecrets.get(ciphertext)
    if (cached !== undefined) return cached
    const secret = cipher.decryptSecret(aadForSecret(ref), ciphertext)
    if (decryptedSecrets.size >= CACHE_MAX) decryptedSecrets.clear()
    decryptedSecrets.set(ciphertext, secret)
    return secret
  }

  const encryptSecret = (ref: string, secret: string): string => cipher.encryptSecret(aadForSecret(ref), secret)

  // By username, and by ref. Names without a merchant are not cached, because there is no limit to them.
  const accounts = new Map<string, readonly Merchant[]>()
  const secrets = new Map<string, Secrets>()
  const haveChanged = createChangeDetector(db, 'merchant')

  const clearCaches = (): void => {
    accounts.clear()
    secrets.clear()
  }

  /** Calls `read` and caches its result until a merchant changes. Null: there is no such merchant. */
  const readCached = <A>(cache: Map<string, A>, name: string, read: () => A | null): A | null => {
    if (haveChanged() || cache.size >= CACHE_MAX) clearCaches()
    const cachedValue = cache.get(name)
    if (cachedValue !== undefined) return cachedValue
    const value = read()
    if (value !== null) cache.set(name, value)
    return value
  }

  /** Runs a change, which is one transaction. Clears the caches afterwards, also if the change fails. */
  const runChange = <E, A>(run: () => E.Either<E, A>): TaskEither<E | Unavailable, A> =>
    runOrUnavailable(() => {
      try {
        return run()
      } finally {
        clearCaches()
      }
    })

  const merchantOf = (row: MerchantRow): Merchant => merchantFrom(row, decryptSecret(row.ref, row.signature_secret))

  const byRef = db.prepare<[string], MerchantRow>('select * from merchants where ref = ?')
  const byUsername = db.prepare<[string], MerchantRow>('select * from merchants where username = ? order by id')
  const all = db.prepare<[], MerchantRow>('select * from merchants order by id')
  const insert = db.prepare(`
    insert into merchants (ref, name, username, password_hash, signature_secret, country, currency, products, optional_fields, send_action_events)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

  const add = db.transaction((merchant: Merchant): E.Either<MerchantExists | AccountDiffers, void> => {
    if (byRef.get(merchant.ref) !== undefined) return E.left({ _tag: 'MerchantExists', ref: merchant.ref })
    const [sibling] = byUsername.all(merchant.username)
    if (sibling !== undefined && sibling.password_hash !== merchant.passwordHash)
      return E.left({ _tag: 'AccountDiffers', username: merchant.username })
    insert.run(
      merchant.ref,
      merchant.name,
      merchant.username,
      merchant.passwordHash,
      encryptSecret(merchant.ref, merchant.signatureSecret),
      merchant.country,
      merchant.currency,
      merchant.products.join(','),
      merchant.optionalFields.join(','),
      merchant.sendActionEvents ? 1 : 0,
    )
    return E.right(undefined)
  })

  const update = db.prepare(`
    update merchants set name = ?, country = ?, currency = ?, products = ?, optional_fields = ?, send_action_events = ?
    where id = ?`)
  const updatePassword = db.prepare('update merchants set password_hash = ? where username = ?')

  const change = db.transaction((ref: string, { passwordHash, ...own }: MerchantChange) => {
    const row = byRef.get(ref)
    if (row === undefined) return E.left<MerchantNotFound>({ _tag: 'MerchantNotFound', ref })
    const { name, country, currency, products, optionalFields, sendActionEvents } = { ...merchantOf(row), ...own }
    const listed = [products.join(','), optionalFields.join(',')]
    update.run(name, country, currency, ...listed, sendActionEvents ? 1 : 0, row.id)
    if (passwordHash !== undefined) updatePassword.run(passwordHash, row.username)
    return E.right(merchantOf(byRef.get(ref) ?? row))
  })

  const replaceSecret = db.prepare('update merchants set signature_secret = ? where id = ?')
  const insertRetired = db.prepare('insert into retired_secrets (merchant_id, secret, signs_until) values (?, ?, ?)')
  const deleteRetired = db.prepare('delete from retired_secrets where id = ?')
  const retired = db.prepare<[number], RetiredSecret>(
    'select id, secret, signs_until from retired_secrets where merchant_id = ? order by id desc',
  )

  const retiredOf = ({ id, ref }: MerchantRow): readonly RetiredSecret[] =>
    retired.all(id).map(({ secret, ...rest }) => ({ ...rest, secret: decryptSecret(ref, secret) }))

  const rotate = db.transaction(
    (ref: string, secret: string, at: number): E.Either<MerchantNotFound | SecretUnchanged, void> => {
      const row = byRef.get(ref)
      if (row === undefined) return E.left({ _tag: 'MerchantNotFound', ref })
      if (decryptSecret(ref, row.signature_secret) === secret) return E.left({ _tag: 'SecretUnchanged' })
      for (const old of retiredOf(row)) if (old.secret === secret || old.signs_until <= at) deleteRetired.run(old.id)
      insertRetired.run(row.id, row.signature_secret, at + SECRET_OVERLAP)
      replaceSecret.run(encryptSecret(ref, secret), row.id)
      return E.right(undefined)
    },
  )

  return {
    find: (ref) =>
      runOrUnavailable(() => {
        const row = byRef.get(ref)
        return E.right(row === undefined ? null : merchantOf(row))
      }),
    ofAccount: (username) =>
      runOrUnavailable(() => {
        const account = readCached(accounts, username, () => {
          const rows = byUsername.all(username)
          return rows.length === 0 ? null : rows.map(merchantOf)
        })
        return E.right(account ?? [])
      }),
    list: () => runOrUnavailable(() => E.right(all.all().map(merchantOf))),
    add: (merchant) => runChange(() => add.immediate(merchant)),
    change: (ref, changed) => runChange(() => change.immediate(ref, changed)),
    rotateSecret: (ref, secret, at) => runChange(() => rotate.immediate(ref, secret, at)),
    liveSecrets: (ref, at) =>
      runOrUnavailable(() => {
        const merchant = readCached(secrets, ref, () => {
          const row = byRef.get(ref)
          return row === undefined
            ? null
            : { current: decryptSecret(ref, row.signature_secret), retired: retiredOf(row) }
        })
        if (merchant === null) return E.right([])
        const stillSigning = merchant.retired.filter(({ signs_until }) => signs_until > at)
        return E.right([merchant.current, ...stillSigning.map(({ secret }) => secret)])
      }),
  }
}

// The port that stores merchants and their accounts. Contract §2. `at` is domain time from the
// clock port, so that the end of a secret's overlap can be seen by moving the clock.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from './store-errors.ts'

/** A shop with its credentials and its offer. The order keeps what it needs of it. */
export type Merchant = {
  readonly ref: string
  readonly name: string
  /** Merchants that share a username are one account, with one password. */
  readonly username: string
  /** In the format of the encryption adapter: `scrypt$…`. */
  readonly passwordHash: string
  /** The current signing secret, 32 hex digits. */
  readonly signatureSecret: string
  readonly country: string | null
  readonly currency: string
  /** Product codes. The first is the default. */
  readonly products: readonly string[]
  /** Identification fields that a shopper may leave out. */
  readonly optionalFields: readonly string[]
  readonly sendActionEvents: boolean
}

/** The fields of a merchant that may change. An absent field stays as it is. */
export type MerchantChange = Partial<
  Pick<
    Merchant,
    'name' | 'country' | 'currency' | 'products' | 'optionalFields' | 'sendActionEvents'
  >
> & {
  /** Changes the password of the whole account. */
  readonly passwordHash?: string
}

/** A merchant with this ref was added before. */
export type MerchantExists = { readonly _tag: 'MerchantExists'; readonly ref: string }

/** No merchant has this ref. */
export type MerchantNotFound = { readonly _tag: 'MerchantNotFound'; readonly ref: string }
/** The given secret is already the current one. Nothing was rotated. */
export type SecretUnchanged = { readonly _tag: 'SecretUnchanged' }
/** The username belongs to an existing account with another password. */
export type AccountDiffers = { readonly _tag: 'AccountDiffers'; readonly username: string }

/** Stores merchants and their secrets. A change applies to orders that are placed afterwards. */
export type Merchants = {
  readonly find: (ref: string) => TaskEither<Unavailable, Merchant | null>
  /** In the order in which they were added. Empty for an unknown username. */
  readonly ofAccount: (username: string) => TaskEither<Unavailable, readonly Merchant[]>
  readonly list: () => TaskEither<Unavailable, readonly Merchant[]>
  /** To join an existing account, a merchant must have that account's password hash. */
  readonly add: (
    merchant: Merchant,
  ) => TaskEither<MerchantExists | AccountDiffers | Unavailable, void>
  /** Returns the changed merchant. Earlier orders keep the terms that they were placed with. */
  readonly change: (
    ref: string,
    change: MerchantChange,
  ) => TaskEither<MerchantNotFound | Unavailable, Merchant>
  /**
   * Makes the new secret current. The previous one continues to sign for `SECRET_OVERLAP` from
   * `at`.
   */
  readonly rotateSecret: (
    ref: string,
    secret: string,
    at: number,
  ) => TaskEither<MerchantNotFound | SecretUnchanged | Unavailable, void>
  /**
   * The secrets that sign at this instant: the current one, then the most recently retired. Empty
   * for an unknown merchant.
   */
  readonly liveSecrets: (ref: string, at: number) => TaskEither<Unavailable, readonly string[]>
  /** Until when a former secret also signs; null if none does at this instant. */
  readonly secretOverlapEnd: (ref: string, at: number) => TaskEither<Unavailable, number | null>
}

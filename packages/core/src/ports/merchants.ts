// The port through which merchants and their accounts are remembered. Contract §2.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from './store.ts'

export type Merchant = {
  readonly ref: string
  readonly name: string
  /** Merchants that share a username are one account, with one password. */
  readonly username: string
  /** As the sealing adapter writes it: `scrypt$…`. */
  readonly passwordHash: string
  /** 32 hex digits. */
  readonly signatureSecret: string
  readonly country: string | null
  readonly currency: string
  /** Product codes, the default first. */
  readonly products: readonly string[]
  /** Identification fields that may be left out. */
  readonly optionalFields: readonly string[]
  readonly sendActionEvents: boolean
}

export type MerchantExists = { readonly _tag: 'MerchantExists'; readonly ref: string }
/** The username belongs to an account with another password. */
export type AccountDiffers = { readonly _tag: 'AccountDiffers'; readonly username: string }

export type Merchants = {
  readonly find: (ref: string) => TaskEither<Unavailable, Merchant | null>
  /** In the order they were added; empty for a username nobody has. */
  readonly ofAccount: (username: string) => TaskEither<Unavailable, readonly Merchant[]>
  readonly list: () => TaskEither<Unavailable, readonly Merchant[]>
  /** A merchant of an account that exists must come with that account's password hash. */
  readonly add: (merchant: Merchant) => TaskEither<MerchantExists | AccountDiffers | Unavailable, void>
}

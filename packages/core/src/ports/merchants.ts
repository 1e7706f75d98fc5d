// The port through which merchants and their accounts are remembered. Contract §2. `at` is domain time, the clock
// port's, so that moving the sandbox's clock shows the end of an overlap.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Unavailable } from './unavailable.ts'

export type Merchant = {
  readonly ref: string
  readonly name: string
  /** Merchants that share a username are one account, with one password. */
  readonly username: string
  /** As the sealing adapter writes it: `scrypt$…`. */
  readonly passwordHash: string
  /** The current one, 32 hex digits. */
  readonly signatureSecret: string
  readonly country: string | null
  readonly currency: string
  /** Product codes, the default first. */
  readonly products: readonly string[]
  /** Identification fields that may be left out. */
  readonly optionalFields: readonly string[]
  readonly sendActionEvents: boolean
}

/** What may be changed of one; what is absent stays as it is. */
export type MerchantChange = Partial<
  Pick<Merchant, 'name' | 'country' | 'currency' | 'products' | 'optionalFields' | 'sendActionEvents'>
> & {
  /** The whole account's. */
  readonly passwordHash?: string
}

export type MerchantExists = { readonly _tag: 'MerchantExists'; readonly ref: string }
export type MerchantUnknown = { readonly _tag: 'MerchantUnknown'; readonly ref: string }
/** It is the current secret already: nothing is rotated. */
export type SecretUnchanged = { readonly _tag: 'SecretUnchanged' }
/** The username belongs to an account with another password. */
export type AccountDiffers = { readonly _tag: 'AccountDiffers'; readonly username: string }

export type Merchants = {
  readonly find: (ref: string) => TaskEither<Unavailable, Merchant | null>
  /** In the order they were added; empty for a username nobody has. */
  readonly ofAccount: (username: string) => TaskEither<Unavailable, readonly Merchant[]>
  readonly list: () => TaskEither<Unavailable, readonly Merchant[]>
  /** A merchant of an account that exists must come with that account's password hash. */
  readonly add: (merchant: Merchant) => TaskEither<MerchantExists | AccountDiffers | Unavailable, void>
  /** Answers with the merchant as he is then. Orders placed before go on under the terms they were placed with. */
  readonly change: (ref: string, change: MerchantChange) => TaskEither<MerchantUnknown | Unavailable, Merchant>
  /** The new secret is current from now on; the one before goes on signing for `SECRET_OVERLAP` from `at`. */
  readonly rotateSecret: (
    ref: string,
    secret: string,
    at: number,
  ) => TaskEither<MerchantUnknown | SecretUnchanged | Unavailable, void>
  /** Those that sign at this instant, the current one first, then the latest retired; none of an unknown merchant. */
  readonly liveSecrets: (ref: string, at: number) => TaskEither<Unavailable, readonly string[]>
}

// The command line and the console add merchants the same way: this checks the typed settings and adds the merchant, under a
// new account or an existing one. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/encryption'
import type { Merchant, Merchants, Unavailable, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { invalidSettings, type MerchantSettings, parseList } from './merchant-settings.ts'

export type NewMerchant = Pick<MerchantSettings, 'ref' | 'name' | 'username' | 'password' | 'currency' | 'products'> &
  Partial<Pick<MerchantSettings, 'secret' | 'country' | 'optionalFields'>> & { readonly sendActionEvents: boolean }

/** One sentence for each thing that is wrong. */
type AddMerchantRefusal = { readonly _tag: 'Refused'; readonly sentences: readonly string[] }

type AddMerchantParts = {
  readonly merchants: Merchants
  readonly names: WireNames
  readonly nameOf: (setting: keyof MerchantSettings) => string
}

const refuse = (...sentences: readonly string[]): E.Either<AddMerchantRefusal, never> =>
  E.left({ _tag: 'Refused', sentences })

export const createSecret = (): string => randomBytes(16).toString('hex')

export const addMerchant =
  ({ merchants, names, nameOf }: AddMerchantParts) =>
  (given: NewMerchant): TaskEither<AddMerchantRefusal | Unavailable, Merchant> =>
  async () => {
    const invalid = invalidSettings(given, names, nameOf)
    if (invalid.length > 0) return refuse(...invalid)
    const account = await merchants.ofAccount(given.username)()
    if (E.isLeft(account)) return account
    // Merchants of one username are one account, with one password.
    const [sibling] = account.right
    if (sibling !== undefined && !(await verifyPassword(given.password, sibling.passwordHash)))
      return refuse(
        `${nameOf('password')} is wrong for the account ${given.username}, which merchant ${sibling.ref} already uses.`,
      )
    const merchant: Merchant = {
      ref: given.ref,
      name: given.name,
      username: given.username,
      passwordHash: sibling?.passwordHash ?? (await hashPassword(given.password)),
      signatureSecret: given.secret ?? createSecret(),
      country: given.country ?? null,
      currency: given.currency,
      products: parseList(given.products),
      optionalFields: parseList(given.optionalFields ?? ''),
      sendActionEvents: given.sendActionEvents,
    }
    const added = await merchants.add(merchant)()
    if (E.isRight(added)) return E.right(merchant)
    switch (added.left._tag) {
      case 'Unavailable':
        return E.left(added.left)
      case 'MerchantExists':
        return refuse(`${nameOf('ref')} is "${given.ref}", but a merchant with that reference already exists.`)
      case 'AccountDiffers':
        return refuse(`${nameOf('username')} is "${given.username}", but that account has another password.`)
    }
  }

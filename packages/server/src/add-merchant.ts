// The command line and the console add merchants the same way: this checks the typed settings and adds the merchant, under a
// new account or an existing one. Contract §7.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/sealing'
import type { Merchant, Merchants, Unavailable, WireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { commaList, type MerchantSettings, wrongSettings } from './merchant-settings.ts'

export type NewMerchant = Pick<MerchantSettings, 'ref' | 'name' | 'username' | 'password' | 'currency' | 'products'> &
  Partial<Pick<MerchantSettings, 'secret' | 'country' | 'optionalFields'>> & { readonly sendActionEvents: boolean }

/** One sentence for each thing that is wrong. */
type NotAdded = { readonly _tag: 'Refused'; readonly sentences: readonly string[] }

type Parts = {
  readonly merchants: Merchants
  readonly names: WireNames
  readonly nameOf: (setting: keyof MerchantSettings) => string
}

const refused = (...sentences: readonly string[]): E.Either<NotAdded, never> => E.left({ _tag: 'Refused', sentences })

export const newSecret = (): string => randomBytes(16).toString('hex')

export const addMerchant =
  ({ merchants, names, nameOf }: Parts) =>
  (given: NewMerchant): TaskEither<NotAdded | Unavailable, Merchant> =>
  async () => {
    const wrong = wrongSettings(given, names, nameOf)
    if (wrong.length > 0) return refused(...wrong)
    const account = await merchants.ofAccount(given.username)()
    if (E.isLeft(account)) return account
    // Merchants of one username are one account, with one password.
    const [sibling] = account.right
    if (sibling !== undefined && !(await verifyPassword(given.password, sibling.passwordHash)))
      return refused(
        `${nameOf('password')} is not that of the account ${given.username}, which merchant ${sibling.ref} uses already.`,
      )
    const merchant: Merchant = {
      ref: given.ref,
      name: given.name,
      username: given.username,
      passwordHash: sibling?.passwordHash ?? (await hashPassword(given.password)),
      signatureSecret: given.secret ?? newSecret(),
      country: given.country ?? null,
      currency: given.currency,
      products: commaList(given.products),
      optionalFields: commaList(given.optionalFields ?? ''),
      sendActionEvents: given.sendActionEvents,
    }
    const added = await merchants.add(merchant)()
    if (E.isRight(added)) return E.right(merchant)
    switch (added.left._tag) {
      case 'Unavailable':
        return E.left(added.left)
      case 'MerchantExists':
        return refused(`${nameOf('ref')} is "${given.ref}": there is a merchant of that name already.`)
      case 'AccountDiffers':
        return refused(`${nameOf('username')} is "${given.username}": the account has another password.`)
    }
  }

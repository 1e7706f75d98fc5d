// Authenticates a merchant's requests: HTTP Basic for the account, then the merchant that path, body or header names. Contract
// §2.
import { randomBytes } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/sealing'
import type { Merchant, Merchants, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import type { AccountReads } from './limits/account-reads.ts'
import type { ClientAddress } from './limits/client-address.ts'
import type { Logins } from './limits/logins.ts'
import { type RequestError, requestError } from './problem.ts'
import { basicCredentials } from './request.ts'

/** An account's merchants, at least one. */
export type Account = readonly [Merchant, ...Merchant[]]

export type MerchantAccess = {
  readonly account: (c: Context) => TE.TaskEither<RequestError | Unavailable, Account>
  /** The named merchant, if the account has it. `named` null: the header's merchant, or else the account's first. */
  readonly choose: (c: Context, account: Account, named: string | null) => E.Either<RequestError, Merchant>
  /** Both steps together. */
  readonly merchant: (c: Context, named: string | null) => TE.TaskEither<RequestError | Unavailable, Merchant>
}

export const TOO_MANY_LOGINS = 'There were 20 wrong passwords for this username within a minute.'
export const TOO_MANY_WAITING = 'Many passwords are being checked: please try again.'

const WRONG = requestError(401, 'The username or the password is wrong.')

type MerchantAccessParts = {
  readonly merchants: Merchants
  readonly merchantHeader: string
  readonly logins: Logins
  readonly addressOf: ClientAddress
  readonly reads: AccountReads
}

export const merchantAccess = ({
  merchants,
  merchantHeader,
  logins,
  addressOf,
  reads,
}: MerchantAccessParts): MerchantAccess => {
  const nobody = hashPassword(randomBytes(16).toString('hex'))

  const account: MerchantAccess['account'] = (c) => async () => {
    const given = basicCredentials(c)
    if (given === null) return E.left(requestError(401, 'Credentials are needed: HTTP Basic.'))
    const found = await merchants.ofAccount(given.username)()
    if (E.isLeft(found)) return found
    const [first, ...others] = found.right
    // An unknown username takes as long as a wrong password.
    const against = first?.passwordHash ?? (await nobody)
    const verdict = await logins({
      ...given,
      against,
      address: () => addressOf(c),
      verify: async () => (await verifyPassword(given.password, against)) && first !== undefined,
    })
    switch (verdict.type) {
      case 'right': {
        if (first === undefined) return E.left(WRONG)
        const refused = await reads(c, given.username)
        return refused === null ? E.right([first, ...others]) : E.left(refused)
      }
      case 'wrong':
        return E.left(WRONG)
      case 'limited':
        return E.left(requestError(429, TOO_MANY_LOGINS, verdict.seconds))
      case 'busy':
        return E.left(requestError(503, TOO_MANY_WAITING, 1))
    }
  }

  const choose: MerchantAccess['choose'] = (c, own, named) => {
    const ref = named ?? c.req.header(merchantHeader) ?? ''
    if (ref === '') return E.right(own[0])
    const merchant = own.find((each) => each.ref === ref)
    return merchant === undefined
      ? E.left(requestError(403, `The merchant ${JSON.stringify(ref)} is not this account's.`))
      : E.right(merchant)
  }

  return {
    account,
    choose,
    merchant: (c, named) =>
      pipe(
        account(c),
        TE.chainW((own) => TE.fromEither(choose(c, own, named))),
      ),
  }
}

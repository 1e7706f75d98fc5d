// Who calls as which merchant: HTTP Basic, and the merchant that path, body or header names. Contract §2.
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashPassword, verifyPassword } from '@plazo/adapters/sealing'
import type { Merchant, Merchants, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { type RequestError, requestError } from './problem.ts'
import { basicCredentials, type Credentials } from './request.ts'

/** An account's merchants, at least one. */
export type Account = readonly [Merchant, ...Merchant[]]

export type MerchantAccess = {
  readonly account: (c: Context) => TE.TaskEither<RequestError | Unavailable, Account>
  /** The merchant named, if he is the account's; `named` null takes the header's. */
  readonly choose: (c: Context, account: Account, named: string | null) => E.Either<RequestError, Merchant>
  /** Both at once. */
  readonly merchant: (c: Context, named: string | null) => TE.TaskEither<RequestError | Unavailable, Merchant>
}

const REMEMBERED_MAX = 10_000

/** Whether these are the operator's, in constant time. */
export const isOperator = (given: Credentials | null, password: string): boolean => {
  const key = randomBytes(32)
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return (
    given !== null &&
    timingSafeEqual(digest(given.username), digest('operator')) &&
    timingSafeEqual(digest(given.password), digest(password))
  )
}

export const merchantAccess = (merchants: Merchants, merchantHeader: string): MerchantAccess => {
  // What has been verified once, by a keyed hash over the stored one too: a changed password is another entry.
  const memory = new Set<string>()
  const memoryKey = createSecretKey(randomBytes(32))
  const nobody = hashPassword(randomBytes(16).toString('hex'))

  const isVerified = async ({ username, password }: Credentials, hash: string): Promise<boolean> => {
    const proof = createHmac('sha256', memoryKey)
      .update(JSON.stringify([username, password, hash]))
      .digest('base64url')
    if (memory.has(proof)) return true
    if (!(await verifyPassword(password, hash))) return false
    if (memory.size >= REMEMBERED_MAX) memory.clear()
    memory.add(proof)
    return true
  }

  const account: MerchantAccess['account'] = (c) => async () => {
    const given = basicCredentials(c)
    if (given === null) return E.left(requestError(401, 'Credentials are needed: HTTP Basic.'))
    const found = await merchants.ofAccount(given.username)()
    if (E.isLeft(found)) return found
    const [first, ...others] = found.right
    // A username nobody has takes as long as a wrong password.
    const verified = await isVerified(given, first?.passwordHash ?? (await nobody))
    return verified && first !== undefined
      ? E.right([first, ...others])
      : E.left(requestError(401, 'The username or the password is wrong.'))
  }

  const choose: MerchantAccess['choose'] = (c, own, named) => {
    const ref = named ?? c.req.header(merchantHeader) ?? null
    if (ref === null) return E.right(own[0])
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

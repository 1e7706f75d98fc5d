// Decides who may call what: merchants and operators use HTTP Basic. A merchant's request then
// names one of the account's merchants by path, body or header. Contract §2.

import { hash, timingSafeEqual } from 'node:crypto'
import { unmatchableHash, verifyPassword } from '@plazo/adapters/encryption'
import type { Host, Order } from '@plazo/core'
import { type Merchant, type Merchants, orderNotFound, type Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import type { Logins } from './limits/logins.ts'
import { type KnownError, type RequestError, requestError } from './problem.ts'
import { basicCredentials, uuidParam } from './request.ts'
import type { Access } from './route.ts'

/** An account's merchants, at least one. */
export type Account = readonly [Merchant, ...Merchant[]]

const WRONG = requestError(401, 'The username or the password is wrong.')

type MerchantAccessParts = {
  readonly merchants: Merchants
  readonly merchantHeader: string
  readonly logins: Logins
  readonly reads: (c: Context, account: string) => RequestError | null
  /** True for a password with which nobody may call, even if it is right. */
  readonly refusesPassword: (password: string) => boolean
}

export type MerchantAccess = ReturnType<typeof merchantAccess>

export const merchantAccess = (parts: MerchantAccessParts) => {
  const { merchants, merchantHeader, logins, reads, refusesPassword } = parts
  const hashForUnknownUser = unmatchableHash()

  const account =
    (c: Context): TE.TaskEither<RequestError | Unavailable, Account> =>
    async () => {
      const credentials = basicCredentials(c)
      if (credentials === null)
        return E.left(requestError(401, 'Credentials are required (HTTP Basic).'))
      const { username, password } = credentials
      const found = await merchants.ofAccount(username)()
      if (E.isLeft(found)) return found
      const [first, ...others] = found.right
      // An unknown username takes as long as a wrong password.
      const against =
        first === undefined || refusesPassword(password) ? hashForUnknownUser : first.passwordHash
      const verify = () => verifyPassword(password, against)
      const refusal = await logins({ c, username, password, against, verify, wrong: WRONG })
      if (refusal !== null || first === undefined) return E.left(refusal ?? WRONG)
      const tooMany = reads(c, username)
      return tooMany === null ? E.right([first, ...others]) : E.left(tooMany)
    }

  /**
   * The named merchant, if the account has it. `named` null: the header's merchant, or else the
   * account's first.
   */
  const choose = (
    c: Context,
    accountMerchants: Account,
    named: string | null,
  ): E.Either<RequestError, Merchant> => {
    const ref = named ?? c.req.header(merchantHeader) ?? ''
    if (ref === '') return E.right(accountMerchants[0])
    const merchant = accountMerchants.find((each) => each.ref === ref)
    return merchant === undefined
      ? E.left(
          requestError(403, `The merchant ${JSON.stringify(ref)} does not belong to this account.`),
        )
      : E.right(merchant)
  }

  return {
    account,
    choose,
    /** Checks the credentials, then chooses the merchant. */
    merchant: (
      c: Context,
      named: string | null,
    ): TE.TaskEither<RequestError | Unavailable, Merchant> =>
      pipe(
        account(c),
        TE.chainW((accountMerchants) => TE.fromEither(choose(c, accountMerchants, named))),
      ),
  }
}

/** The name of the operator whose request it is; undefined if no operator's password was checked. */
export const operatorOf = (c: Context): string | undefined => c.get('operator')

const OPERATOR_REQUIRED = {
  ...requestError(401, 'The operator’s credentials are required (HTTP Basic).'),
  challenge: 'Basic realm="console", charset="UTF-8"',
}

// The digests are equally long, so that nothing depends on the length of the password.
const isEqual = (actual: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', actual, 'buffer'), hash('sha256', expected, 'buffer'))

export type OperatorAccess = ReturnType<typeof operatorAccess>

/**
 * Lets only operators decide, by HTTP Basic. Resolves to the operator's name. `passwords`: by name.
 * Contract §2.
 */
export const operatorAccess = (passwords: ReadonlyMap<string, string>, logins: Logins) => {
  const operator =
    (c: Context): TE.TaskEither<RequestError, string> =>
    async () => {
      const credentials = basicCredentials(c)
      if (credentials === null) return E.left(OPERATOR_REQUIRED)
      const { username, password } = credentials
      const against = passwords.get(username) ?? ''
      // Compares the passwords even if there is no such operator.
      const verify = async () =>
        [isEqual(password, against), passwords.has(username)].every(Boolean)
      const refusal = await logins({
        c,
        username,
        password,
        against,
        verify,
        wrong: OPERATOR_REQUIRED,
      })
      if (refusal !== null) return E.left(refusal)
      c.set('operator', username)
      return E.right(username)
    }
  return {
    operator,
    /** Loads as the one or the other. A merchant may have the name of an operator. */
    operatorOr:
      <A>(asOperator: Access<A>['load'], asOther: Access<A>['load']): Access<A>['load'] =>
      (c) =>
      async () => {
        const isOperator =
          passwords.has(basicCredentials(c)?.username ?? '') && E.isRight(await operator(c)())
        return (isOperator ? asOperator : asOther)(c)()
      },
  }
}

export type OrderAccess = (c: Context) => TE.TaskEither<KnownError, Order>

/** Finds any order: knowing its uuid is enough. */
export const anyOrder =
  ({ store }: Pick<Host, 'store'>): OrderAccess =>
  (c) =>
    pipe(TE.fromEither(uuidParam(c)), TE.chainW(store.read))

/** Another merchant's order is reported as not found. Contract §2. */
const orderOf =
  (host: Host, isCaller: (merchant: Order['placed']['merchant']) => boolean): OrderAccess =>
  (c) =>
    pipe(
      anyOrder(host)(c),
      TE.filterOrElseW(
        ({ placed }) => isCaller(placed.merchant),
        () => orderNotFound,
      ),
    )

/** Finds an order of the calling account. */
export const orderAccess =
  (host: Host, access: MerchantAccess): OrderAccess =>
  (c) =>
    pipe(
      access.merchant(c, null),
      TE.chainW(({ username }) => orderOf(host, ({ account }) => account === username)(c)),
    )

/** Finds an order of one merchant, without credentials. */
export const orderOfMerchant = (host: Host, merchantRef: string): OrderAccess =>
  orderOf(host, ({ ref }) => ref === merchantRef)

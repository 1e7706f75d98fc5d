// Decides who may call what: merchants and operators use HTTP Basic. A merchant's request then
// names one of the account's merchants, by path, body or header. Contract §2.

import { hash, timingSafeEqual } from 'node:crypto'
import { unmatchableHash, verifyPassword } from '@plazo/adapters/internal/encryption'
import {
  type Host,
  type Merchant,
  type Merchants,
  type Order,
  orderNotFound,
} from '@plazo/core/internal'
import type { Context } from 'hono'
import type { Logins } from './limits/logins.ts'
import { HandlerError, refused, requestError } from './problem.ts'
import { basicCredentials } from './request.ts'
import { type Access, uuidParam, value } from './route.ts'

/** An account's merchants, at least one. */
export type Account = readonly [Merchant, ...Merchant[]]

const WRONG = requestError(401, 'The username or the password is wrong.')

type MerchantAccessParts = {
  readonly merchants: Merchants
  readonly merchantHeader: string
  readonly logins: Logins
  readonly reads: (c: Context, account: string) => void
  /** True for a password with which nobody may call, even if it is right. */
  readonly refusesPassword: (password: string) => boolean
}

export type MerchantAccess = ReturnType<typeof merchantAccess>

/** What it returns rejects with a `HandlerError`, or throws one. */
export const merchantAccess = (parts: MerchantAccessParts) => {
  const { merchants, merchantHeader, logins, reads, refusesPassword } = parts
  const hashForUnknownUser = unmatchableHash()

  const account = async (c: Context): Promise<Account> => {
    const credentials = basicCredentials(c)
    if (credentials === null) throw refused(401, 'Credentials are required (HTTP Basic).')
    const { username, password } = credentials
    const [first, ...others] = await value(merchants.ofAccount(username))
    // An unknown username takes as long as a wrong password.
    const against =
      first === undefined || refusesPassword(password) ? hashForUnknownUser : first.passwordHash
    const verify = () => verifyPassword(password, against)
    await logins({ c, username, password, against, verify, wrong: WRONG })
    if (first === undefined) throw new HandlerError(WRONG)
    reads(c, username)
    return [first, ...others]
  }

  /**
   * The named merchant, if the account has it. `named` null: the header's merchant, or else the
   * account's first.
   */
  const choose = (c: Context, accountMerchants: Account, named: string | null): Merchant => {
    const ref = named ?? c.req.header(merchantHeader) ?? ''
    if (ref === '') return accountMerchants[0]
    const merchant = accountMerchants.find((each) => each.ref === ref)
    if (merchant !== undefined) return merchant
    const detail = `The merchant ${JSON.stringify(ref)} does not belong to this account.`
    throw refused(403, detail)
  }

  return {
    account,
    choose,
    /** Checks the credentials, then chooses the merchant. */
    merchant: async (c: Context, named: string | null): Promise<Merchant> =>
      choose(c, await account(c), named),
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

/** Lets only operators decide, by HTTP Basic. `passwords`: by name. Contract §2. */
export const operatorAccess = (passwords: ReadonlyMap<string, string>, logins: Logins) => {
  /** Rejects with a `HandlerError` for anybody else. */
  const operator = async (c: Context): Promise<void> => {
    const credentials = basicCredentials(c)
    if (credentials === null) throw new HandlerError(OPERATOR_REQUIRED)
    const { username, password } = credentials
    const against = passwords.get(username) ?? ''
    // Compares the passwords even if there is no such operator.
    const verify = async () => [isEqual(password, against), passwords.has(username)].every(Boolean)
    await logins({ c, username, password, against, verify, wrong: OPERATOR_REQUIRED })
    c.set('operator', username)
  }
  return {
    operator,
    /** Loads as the one or the other. A merchant may have the name of an operator. */
    operatorOr:
      <A>(asOperator: Load<A>, asOther: Load<A>) =>
      async (c: Context): Promise<A> => {
        if (passwords.has(basicCredentials(c)?.username ?? '')) await operator(c).catch(() => {})
        const isOperator = operatorOf(c) !== undefined
        return value((isOperator ? asOperator : asOther)(c))
      },
  }
}

type Load<A> = Access<A>['load']
export type OrderAccess = Load<Order>

/** Finds any order: knowing its uuid is enough. */
export const anyOrder =
  ({ store }: Pick<Host, 'store'>) =>
  async (c: Context): Promise<Order> =>
    value(store.read(uuidParam(c)))

/** Another merchant's order is reported as not found. Contract §2. */
const orderOf = async (
  host: Host,
  c: Context,
  isCaller: (merchant: Order['placed']['merchant']) => boolean,
): Promise<Order> => {
  const order = await anyOrder(host)(c)
  if (isCaller(order.placed.merchant)) return order
  throw new HandlerError(orderNotFound)
}

/** Finds an order of the calling account. */
export const orderAccess =
  (host: Host, access: MerchantAccess): OrderAccess =>
  async (c) => {
    const { username } = await access.merchant(c, null)
    return orderOf(host, c, ({ account }) => account === username)
  }

/** Finds an order of one merchant, without credentials. */
export const orderOfMerchant =
  (host: Host, merchantRef: string): OrderAccess =>
  (c) =>
    orderOf(host, c, ({ ref }) => ref === merchantRef)

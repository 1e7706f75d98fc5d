// The rules of merchants and accounts, once for all stores: a rotation or another change reads rows,
// decides, and writes them. A store must not let anybody else write between, or a change is lost.
import type {
  AccountDiffers,
  Merchant,
  MerchantExists,
  MerchantNotFound,
  Merchants,
  SecretUnchanged,
  Unavailable,
} from '@plazo/core/internal'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** `former`: the replaced secrets, the latest first, each with the end of its overlap. */
export type StoredMerchant = {
  readonly merchant: Merchant
  readonly former: readonly { readonly secret: string; readonly signsUntil: number }[]
}

/** The merchant first, then others of its account that change too. */
type ChangedMerchants = readonly [StoredMerchant, ...StoredMerchant[]]

/** Merchants are returned in the order in which they were added. */
type MerchantTable = {
  readonly read: (
    column: 'ref' | 'username',
    name: string,
  ) => TE.TaskEither<Unavailable, readonly StoredMerchant[]>
  readonly list: () => TE.TaskEither<Unavailable, readonly StoredMerchant[]>
  /**
   * Passes the accounts with this username and of this merchant to `decide`, and writes what it
   * returns. Nobody else writes merchants meanwhile.
   */
  readonly update: <Err>(
    ref: string,
    username: string | null,
    decide: (related: readonly StoredMerchant[]) => E.Either<Err, ChangedMerchants>,
  ) => TE.TaskEither<Err | Unavailable, ChangedMerchants>
}

const merchantsOf = TE.map((rows: readonly StoredMerchant[]) =>
  rows.map(({ merchant }) => merchant),
)

const formerAt = (at: number, row: StoredMerchant | undefined): StoredMerchant['former'] =>
  row?.former.filter(({ signsUntil }) => signsUntil > at) ?? []

export const createMerchants = ({ read, list, update }: MerchantTable): Merchants => {
  const find = <A>(ref: string, select: (row: StoredMerchant | undefined) => A) =>
    TE.map(([row]: readonly StoredMerchant[]) => select(row))(read('ref', ref))

  const change = <Err>(
    ref: string,
    decide: (
      row: StoredMerchant,
      account: readonly StoredMerchant[],
    ) => E.Either<Err, ChangedMerchants>,
  ) =>
    update<Err | MerchantNotFound>(ref, null, (account) => {
      const row = account.find(({ merchant }) => merchant.ref === ref)
      return row === undefined ? E.left({ _tag: 'MerchantNotFound', ref }) : decide(row, account)
    })

  return {
    find: (ref) => find(ref, (row) => row?.merchant ?? null),
    ofAccount: (username) => merchantsOf(read('username', username)),
    list: () => merchantsOf(list()),

    add: (merchant) =>
      TE.asUnit(
        update<MerchantExists | AccountDiffers>(merchant.ref, merchant.username, (related) => {
          const { ref, username, passwordHash } = merchant
          if (related.some((row) => row.merchant.ref === ref))
            return E.left({ _tag: 'MerchantExists', ref })
          if (related.some((row) => row.merchant.passwordHash !== passwordHash))
            return E.left({ _tag: 'AccountDiffers', username })
          return E.right([{ merchant, former: [] }])
        }),
      ),

    change: (ref, changes) =>
      TE.map(([{ merchant }]: ChangedMerchants) => merchant)(
        change<never>(ref, (row, account) => {
          const { passwordHash = row.merchant.passwordHash } = changes
          const outdated = account.filter(
            (each) => each !== row && each.merchant.passwordHash !== passwordHash,
          )
          return E.right([
            { ...row, merchant: { ...row.merchant, ...changes } },
            ...outdated.map((each) => ({ ...each, merchant: { ...each.merchant, passwordHash } })),
          ])
        }),
      ),

    rotateSecret: (ref, secret, at) =>
      TE.asUnit(
        change<SecretUnchanged>(ref, (row) => {
          const { signatureSecret } = row.merchant
          if (signatureSecret === secret) return E.left({ _tag: 'SecretUnchanged' })
          const stillSigning = formerAt(at, row).filter((old) => old.secret !== secret)
          return E.right([
            {
              merchant: { ...row.merchant, signatureSecret: secret },
              former: [
                { secret: signatureSecret, signsUntil: at + SECRET_OVERLAP },
                ...stillSigning,
              ],
            },
          ])
        }),
      ),

    liveSecrets: (ref, at) =>
      find(ref, (row) =>
        row === undefined
          ? []
          : [row.merchant.signatureSecret, ...formerAt(at, row).map(({ secret }) => secret)],
      ),
    secretOverlapEnd: (ref, at) => find(ref, (row) => formerAt(at, row)[0]?.signsUntil ?? null),
  }
}

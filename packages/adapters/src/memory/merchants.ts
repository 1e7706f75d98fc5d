// Merchants in memory, for tests and embedding.
import type { Merchant, Merchants } from '@plazo/core/ports'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

type RetiredSecret = { readonly ref: string; readonly secret: string; readonly signsUntil: number }

/** Keeps merchants until the process ends. `initial`: the merchants that exist from the start. */
export const memoryMerchants = (initial: readonly Merchant[] = []): Merchants => {
  const merchants = new Map(initial.map((merchant) => [merchant.ref, merchant]))
  // Latest first.
  let retired: readonly RetiredSecret[] = []
  const ofAccount = (username: string) =>
    [...merchants.values()].filter((merchant) => merchant.username === username)
  const formerAt = (ref: string, at: number) =>
    retired.filter((old) => old.ref === ref && old.signsUntil > at)
  return {
    find: (ref) => TE.fromIO(() => merchants.get(ref) ?? null),
    ofAccount: (username) => TE.fromIO(() => ofAccount(username)),
    list: () => TE.fromIO(() => [...merchants.values()]),
    add: (merchant) => async () => {
      if (merchants.has(merchant.ref)) return E.left({ _tag: 'MerchantExists', ref: merchant.ref })
      const [sibling] = ofAccount(merchant.username)
      if (sibling !== undefined && sibling.passwordHash !== merchant.passwordHash)
        return E.left({ _tag: 'AccountDiffers', username: merchant.username })
      merchants.set(merchant.ref, merchant)
      return E.right(undefined)
    },
    change: (ref, change) => async () => {
      const merchant = merchants.get(ref)
      if (merchant === undefined) return E.left({ _tag: 'MerchantNotFound', ref })
      const { passwordHash = merchant.passwordHash } = change
      for (const each of ofAccount(merchant.username))
        merchants.set(each.ref, { ...each, passwordHash })
      const changed = { ...merchant, ...change }
      merchants.set(ref, changed)
      return E.right(changed)
    },
    rotateSecret: (ref, secret, at) => async () => {
      const merchant = merchants.get(ref)
      if (merchant === undefined) return E.left({ _tag: 'MerchantNotFound', ref })
      if (merchant.signatureSecret === secret) return E.left({ _tag: 'SecretUnchanged' })
      const stillSigning = retired.filter(
        (old) => old.ref !== ref || (old.secret !== secret && old.signsUntil > at),
      )
      retired = [
        { ref, secret: merchant.signatureSecret, signsUntil: at + SECRET_OVERLAP },
        ...stillSigning,
      ]
      merchants.set(ref, { ...merchant, signatureSecret: secret })
      return E.right(undefined)
    },
    liveSecrets: (ref, at) =>
      TE.fromIO(() => {
        const merchant = merchants.get(ref)
        const signing = formerAt(ref, at)
        return merchant === undefined
          ? []
          : [merchant.signatureSecret, ...signing.map(({ secret }) => secret)]
      }),
    secretOverlapEnd: (ref, at) => TE.fromIO(() => formerAt(ref, at)[0]?.signsUntil ?? null),
  }
}

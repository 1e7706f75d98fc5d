// Merchants in memory, for tests and embedding.
import type { Merchant, Merchants } from '@plazo/core'
import { SECRET_OVERLAP } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

type RetiredSecret = { readonly ref: string; readonly secret: string; readonly signsUntil: number }

/** `initial`: the merchants that exist from the start. */
export const memoryMerchants = (initial: readonly Merchant[] = []): Merchants => {
  const merchants = [...initial]
  // Latest first.
  let retired: readonly RetiredSecret[] = []
  return {
    find: (ref) => TE.fromIO(() => merchants.find((merchant) => merchant.ref === ref) ?? null),
    ofAccount: (username) => TE.fromIO(() => merchants.filter((merchant) => merchant.username === username)),
    list: () => TE.fromIO(() => [...merchants]),
    add: (merchant) => async () => {
      if (merchants.some(({ ref }) => ref === merchant.ref))
        return E.left({ _tag: 'MerchantExists', ref: merchant.ref })
      const sibling = merchants.find(({ username }) => username === merchant.username)
      if (sibling !== undefined && sibling.passwordHash !== merchant.passwordHash)
        return E.left({ _tag: 'AccountDiffers', username: merchant.username })
      merchants.push(merchant)
      return E.right(undefined)
    },
    change:
      (ref, { passwordHash, ...own }) =>
      async () => {
        const index = merchants.findIndex((merchant) => merchant.ref === ref)
        const merchant = merchants[index]
        if (merchant === undefined) return E.left({ _tag: 'MerchantNotFound', ref })
        merchants[index] = { ...merchant, ...own }
        if (passwordHash !== undefined)
          for (const [at, each] of merchants.entries())
            if (each.username === merchant.username) merchants[at] = { ...each, passwordHash }
        return E.right(merchants[index])
      },
    rotateSecret: (ref, secret, at) => async () => {
      const index = merchants.findIndex((merchant) => merchant.ref === ref)
      const merchant = merchants[index]
      if (merchant === undefined) return E.left({ _tag: 'MerchantNotFound', ref })
      if (merchant.signatureSecret === secret) return E.left({ _tag: 'SecretUnchanged' })
      const stillSigning = retired.filter((old) => old.ref !== ref || (old.secret !== secret && old.signsUntil > at))
      retired = [{ ref, secret: merchant.signatureSecret, signsUntil: at + SECRET_OVERLAP }, ...stillSigning]
      merchants[index] = { ...merchant, signatureSecret: secret }
      return E.right(undefined)
    },
    liveSecrets: (ref, at) =>
      TE.fromIO(() =>
        merchants
          .filter((merchant) => merchant.ref === ref)
          .flatMap(({ signatureSecret }) => [
            signatureSecret,
            ...retired.filter((old) => old.ref === ref && old.signsUntil > at).map(({ secret }) => secret),
          ]),
      ),
  }
}

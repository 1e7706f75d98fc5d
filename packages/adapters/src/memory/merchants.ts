// Merchants in memory.

import type { Merchant, Merchants } from '@plazo/core'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const memoryMerchants = (known: readonly Merchant[] = []): Merchants => {
  const merchants = [...known]
  return {
    find: (ref) => TE.fromIO(() => merchants.find((merchant) => merchant.ref === ref) ?? null),
    ofAccount: (username) => TE.fromIO(() => merchants.filter((merchant) => merchant.username === username)),
    list: () => TE.fromIO(() => [...merchants]),
    add: (merchant) => async () => {
      if (merchants.some(({ ref }) => ref === merchant.ref))
        return { _tag: 'Left', left: { _tag: 'MerchantExists', ref: merchant.ref } }
      const sibling = merchants.find(({ username }) => username === merchant.username)
      if (sibling !== undefined && sibling.passwordHash !== merchant.passwordHash)
        return { _tag: 'Left', left: { _tag: 'AccountDiffers', username: merchant.username } }
      merchants.push(merchant)
      return { _tag: 'Right', right: undefined }
    },
  }
}

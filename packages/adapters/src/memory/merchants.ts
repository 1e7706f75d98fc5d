// Merchants in memory, for tests and embedding.
import type { Merchant, Merchants } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { createMerchants, type StoredMerchant } from '../sql/merchants.ts'

/** Keeps merchants until the process ends. `initial`: the merchants that exist from the start. */
export const memoryMerchants = (initial: readonly Merchant[] = []): Merchants => {
  const rows = new Map<string, StoredMerchant>()
  for (const merchant of initial) rows.set(merchant.ref, { merchant, former: [] })

  const ofAccounts = (...usernames: readonly (string | null | undefined)[]) =>
    [...rows.values()].filter(({ merchant }) => usernames.includes(merchant.username))

  return createMerchants({
    read: (column, name) =>
      TE.fromIO(() => (column === 'ref' ? [rows.get(name) ?? []].flat() : ofAccounts(name))),
    list: () => TE.fromIO(() => [...rows.values()]),
    update: (ref, username, decide) => async () => {
      const decided = decide(ofAccounts(username, rows.get(ref)?.merchant.username))
      if (E.isRight(decided)) for (const row of decided.right) rows.set(row.merchant.ref, row)
      return decided
    },
  })
}

// Merchants' shares as JSON text, for another thread or a database. A list may name hundreds of
// merchants and comes with every claim. So each list is encoded once, and a text that is repeated
// is decoded once.
import type { MerchantShares } from '@plazo/core/ports'

type ShareList = MerchantShares['event']

/** Returns an encoder. It writes a JSON object: `merchantRef` to share. */
export const createSharesEncoder = (): ((listed: ShareList | undefined) => string) => {
  const encodedLists = new WeakMap<ShareList, string>()
  return (listed) => {
    if (listed === undefined || listed.size === 0) return '{}'
    const cached = encodedLists.get(listed)
    if (cached !== undefined) return cached
    const text = JSON.stringify(Object.fromEntries(listed))
    encodedLists.set(listed, text)
    return text
  }
}

/** Returns a decoder for the text of `createSharesEncoder`. */
export const createSharesDecoder = (): ((text: string) => ShareList) => {
  let last: { readonly text: string; readonly listed: ShareList } = {
    text: '{}',
    listed: new Map(),
  }
  return (text) => {
    if (text !== last.text)
      last = { text, listed: new Map(Object.entries(JSON.parse(text) as Record<string, number>)) }
    return last.listed
  }
}

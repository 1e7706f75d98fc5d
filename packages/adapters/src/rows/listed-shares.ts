// Merchants' shares as JSON text, for another thread or a database. A list may name hundreds of merchants and comes with every
// claim. So each list is encoded once, and a text that is repeated is decoded once.
import type { MerchantShares } from '@plazo/core'

type Listed = MerchantShares['event']

/** Returns an encoder. It writes a JSON object: `merchantRef` to share. */
export const writingShares = (): ((listed: Listed | undefined) => string) => {
  const written = new WeakMap<Listed, string>()
  return (listed) => {
    if (listed === undefined || listed.size === 0) return '{}'
    const known = written.get(listed)
    if (known !== undefined) return known
    const text = JSON.stringify(Object.fromEntries(listed))
    written.set(listed, text)
    return text
  }
}

/** Returns a decoder for the text of `writingShares`. */
export const readingShares = (): ((text: string) => Listed) => {
  let last: { readonly text: string; readonly listed: Listed } = { text: '{}', listed: new Map() }
  return (text) => {
    if (text !== last.text) last = { text, listed: new Map(Object.entries(JSON.parse(text) as Record<string, number>)) }
    return last.listed
  }
}

// Merchants' shares as text, on their way to another thread or a database. A list may name hundreds of merchants and comes with
// claim after claim, so it is written once, and read once where the same text comes again.
import type { MerchantShares } from '@plazo/core'

type Listed = MerchantShares['event']

/** JSON of `merchantRef` and share. */
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

/** What `writingShares` has written. */
export const readingShares = (): ((text: string) => Listed) => {
  let last: { readonly text: string; readonly listed: Listed } = { text: '{}', listed: new Map() }
  return (text) => {
    if (text !== last.text) last = { text, listed: new Map(Object.entries(JSON.parse(text) as Record<string, number>)) }
    return last.listed
  }
}

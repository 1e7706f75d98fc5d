// Ranks the entries of the reference page for a search, so that an operation comes before the texts
// that only mention it.

/**
 * `id`: the anchor. `call`: method and path; empty for a schema. `names`: parameters and members.
 */
export type Entry = {
  readonly id: string
  readonly title: string
  readonly call: string
  readonly names: readonly string[]
  readonly text: string
}

const wordScore = ({ title, call, names, text }: Entry, word: string): number => {
  const includes = (part: string): boolean => part.toLowerCase().includes(word)
  if (title.toLowerCase().startsWith(word)) return 8
  if (includes(title)) return 6
  if (includes(call)) return 5
  if (names.some((name) => name.toLowerCase() === word)) return 4
  if (names.some(includes)) return 3
  return includes(text) ? 1 : 0
}

/**
 * The best first. Each entry contains every word of the query. `because`: a member that matches,
 * otherwise the call.
 */
export const searchEntries = (entries: readonly Entry[], query: string) => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, scores: words.map((word) => wordScore(entry, word)) }))
    .filter(({ scores }) => !scores.includes(0))
    .map((each) => ({ ...each, score: each.scores.reduce((sum, score) => sum + score) }))
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => {
      const member = entry.names.find((name) =>
        words.some((word) => name.toLowerCase().includes(word)),
      )
      return { entry, because: member ?? entry.call }
    })
}

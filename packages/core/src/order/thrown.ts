// What was thrown, told to people. Anything can be thrown, and telling of it throws nothing.

const UNTELLABLE = 'Something was thrown that tells nothing of itself.'

const tell = (thrown: unknown, told: Set<unknown>): string => {
  try {
    if (!(thrown instanceof Error)) return String(thrown)
    if (!(thrown instanceof AggregateError) || thrown.message !== '') return String(thrown.message || thrown.name)
    // One may stand in itself, or in several.
    told.add(thrown)
    const messages = thrown.errors.flatMap((each) => (told.has(each) ? [] : tell(each, told)))
    return messages.join(', ') || thrown.name
  } catch {
    return UNTELLABLE
  }
}

/** In its own words; of several at once that have none, in theirs. */
export const messageOf = (thrown: unknown): string => tell(thrown, new Set())

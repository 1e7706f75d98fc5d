// What was thrown, told to people.

/** In its own words; of several at once that have none, in theirs. */
export const messageOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(messageOf).join(', ')
  return thrown.message || thrown.name
}

// A readable message for any thrown value. JavaScript can throw anything, so this function must
// never throw itself.

const UNKNOWN_ERROR = 'Unknown error.'

const ownMessage = (thrown: unknown, visited: Set<unknown>): string => {
  try {
    if (!(thrown instanceof Error)) return String(thrown)
    if (!(thrown instanceof AggregateError) || thrown.message !== '')
      return String(thrown.message || thrown.name)
    // An aggregate may contain itself, or the same error several times.
    visited.add(thrown)
    const messages = thrown.errors.flatMap((each) =>
      visited.has(each) ? [] : ownMessage(each, visited),
    )
    return messages.join(', ') || thrown.name
  } catch {
    return UNKNOWN_ERROR
  }
}

/** The error's own message. For an `AggregateError` without one, the messages of its parts. */
export const errorMessage = (thrown: unknown): string => ownMessage(thrown, new Set())

/** A thrown value as JSON. Every part may contain a shopper's data. */
export type ThrownError = {
  /** Its name and its class. Empty: it is not an `Error`. */
  readonly names: readonly string[]
  readonly message: string
  readonly code: string | null
  readonly stack: string | null
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Turns any thrown value into JSON. It never throws, even if a getter of the value does. */
export const describeThrown = (thrown: unknown): ThrownError => {
  const message = errorMessage(thrown)
  try {
    if (thrown instanceof Error)
      return {
        names: [String(thrown.name), String(thrown.constructor.name)],
        message,
        code: 'code' in thrown ? textOrNull(thrown.code) : null,
        stack: textOrNull(thrown.stack),
      }
  } catch {
    // A getter of the error has thrown another one.
  }
  return { names: [], message, code: null, stack: null }
}

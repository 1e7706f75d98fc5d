// A readable message for any thrown value. JavaScript can throw anything, so this function must
// never throw itself.

const ownMessage = (thrown: unknown): string =>
  thrown instanceof Error ? String(thrown.message || thrown.name) : String(thrown)

/** The error's own message. For an `AggregateError` without one, the messages of its parts. */
export const errorMessage = (thrown: unknown): string => {
  try {
    const isMany = thrown instanceof AggregateError && thrown.message === ''
    return (isMany && thrown.errors.map(ownMessage).join(', ')) || ownMessage(thrown)
  } catch {
    return 'Unknown error.'
  }
}

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

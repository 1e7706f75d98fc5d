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

/** Turns any thrown value into JSON. */
export const describeThrown = (thrown: unknown): ThrownError => {
  const error: Partial<Error & { readonly code: unknown }> = thrown instanceof Error ? thrown : {}
  return {
    names: thrown instanceof Error ? [thrown.name, thrown.constructor.name] : [],
    message: errorMessage(thrown),
    code: textOrNull(error.code),
    stack: textOrNull(error.stack),
  }
}

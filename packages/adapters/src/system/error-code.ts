// The code of a system's, a client's or a database's error. Messages differ between versions and
// languages; codes do not.

/** The error's code, or an empty text if it has none. */
export const errorCodeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

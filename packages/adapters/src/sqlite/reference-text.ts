// The column of `order_ref_1` holds it unchanged, except if it contains half of a surrogate pair. For every such half SQLite
// would write U+FFFD, and different references would become equal. So that text is stored as JSON.

export const encodeReference = (reference: string): string =>
  reference.isWellFormed() ? reference : JSON.stringify(reference)

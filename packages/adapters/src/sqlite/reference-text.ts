// An `order_ref_1` as it stands in its column: as it is, or, where it holds half of a surrogate pair, for which SQLite would
// write U+FFFD whichever half it is, as JSON writes it.

export const referenceText = (reference: string): string =>
  reference.isWellFormed() ? reference : JSON.stringify(reference)

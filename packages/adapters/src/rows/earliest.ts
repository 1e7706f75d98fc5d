// When something is due next: the first of some instants, of which null is none.
export const earliest = (instants: readonly (number | null)[]): number | null =>
  instants.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null)

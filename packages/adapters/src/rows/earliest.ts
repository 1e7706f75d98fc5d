// Stores combine several next-due instants into one. Null means that nothing is due.
export const earliest = (instants: readonly (number | null)[]): number | null =>
  instants.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null)

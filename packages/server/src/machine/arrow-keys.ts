// The states of a picture are one tab stop, so arrow keys must lead from every state to every other.

/** The middle of a state, in any unit. */
export type Place = { readonly id: string; readonly x: number; readonly y: number }

const DIRECTIONS: { readonly [key: string]: readonly [right: number, down: number] } = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
}

/**
 * The nearest state in the direction of an arrow key; null if there is none, and for any other key.
 */
export const findNeighbour = (states: readonly Place[], id: string, key: string): string | null => {
  const direction = DIRECTIONS[key]
  const start = states.find((state) => state.id === id)
  if (direction === undefined || start === undefined) return null
  const [right, down] = direction
  const [nearest] = states
    .map(({ id, x, y }) => {
      const ahead = (x - start.x) * right + (y - start.y) * down
      const aside = Math.abs((x - start.x) * down + (y - start.y) * right)
      // The distance across the key's direction counts twice, so a state straight ahead comes
      // first.
      return { id, ahead, distance: ahead + 2 * aside }
    })
    .filter(({ ahead }) => ahead > 1)
    .toSorted((one, other) => one.distance - other.distance)
  return nearest?.id ?? null
}

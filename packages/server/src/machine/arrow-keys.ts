// The states of a picture are one tab stop, so arrow keys must lead from every state to every other.

/** Where a state is, in any unit. */
export type Place = {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const DIRECTIONS: { readonly [key: string]: Pick<Place, 'x' | 'y'> } = {
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
}

const centreOf = ({ x, y, width, height }: Place): Pick<Place, 'x' | 'y'> => ({
  x: x + width / 2,
  y: y + height / 2,
})

/**
 * The nearest state in the direction of an arrow key; null if there is none, and for any other key.
 */
export const findNeighbour = (states: readonly Place[], id: string, key: string): string | null => {
  const direction = DIRECTIONS[key]
  const start = states.find((state) => state.id === id)
  if (direction === undefined || start === undefined) return null
  const from = centreOf(start)
  const [nearest] = states
    .map((state) => {
      const to = centreOf(state)
      const [right, down] = [to.x - from.x, to.y - from.y]
      const ahead = right * direction.x + down * direction.y
      const aside = Math.abs(right * direction.y + down * direction.x)
      // The distance across the key's direction counts twice, so a state straight ahead comes
      // first.
      return { id: state.id, ahead, distance: ahead + 2 * aside }
    })
    .filter(({ ahead }) => ahead > 1)
    .toSorted((one, other) => one.distance - other.distance)
  return nearest?.id ?? null
}

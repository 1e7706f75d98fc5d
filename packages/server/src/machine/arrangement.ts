// The positions of everything in a picture of the statechart, as plain data. They are computed once
// (arrange.ts) and committed; the pictures, the pages and the custom element draw from them. Pages
// run this file in the browser, so it imports nothing.

export type Point = { readonly x: number; readonly y: number }

/** A line of text in a state. `to`: the state that a chip leads to. */
export type Line =
  | {
      readonly text: string
      readonly style: 'title' | 'passing' | 'box' | 'caption' | 'wait' | 'section'
    }
  | {
      readonly text: string
      readonly style: 'chip'
      readonly to: string
      /** The transition, as `from to`. */
      readonly arrow: string
      /** The state's name, in the first line of a chip; else null. */
      readonly name: string | null
      readonly tone: Tone
    }

/** How it ends for the shopper: confirmed, or not. */
export type Tone = 'good' | 'bad' | 'plain'

/** `box` contains other states. An order never rests in a `passing` state. In pixels. */
export type PlacedState = Point & {
  readonly id: string
  readonly kind: 'box' | 'header' | 'state' | 'passing'
  readonly tone: Tone
  readonly width: number
  readonly height: number
  readonly lines: readonly Line[]
}

export type PlacedArrow = {
  readonly from: string
  readonly to: string
  /** The corners of a line with right angles, from the state that it leaves. */
  readonly points: readonly Point[]
  readonly label: Point & {
    readonly width: number
    readonly height: number
    readonly lines: readonly string[]
  }
}

export type Arrangement = {
  readonly region: string
  readonly width: number
  readonly height: number
  readonly states: readonly PlacedState[]
  readonly arrows: readonly PlacedArrow[]
}

const DIRECTIONS: { readonly [key: string]: Point } = {
  ArrowRight: { x: 1, y: 0 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowDown: { x: 0, y: 1 },
  ArrowUp: { x: 0, y: -1 },
}

const centreOf = ({ x, y, width, height }: PlacedState): Point => ({
  x: x + width / 2,
  y: y + height / 2,
})

/**
 * True: a reader can select the state in a picture. A box and its header only name what is inside.
 */
export const isSelectable = ({ kind }: PlacedState): boolean =>
  kind === 'state' || kind === 'passing'

/**
 * The nearest state in the direction of an arrow key; null if there is none, and for any other key.
 */
export const findNeighbour = (
  states: readonly PlacedState[],
  id: string,
  key: string,
): string | null => {
  const direction = DIRECTIONS[key]
  const start = states.find((state) => state.id === id && isSelectable(state))
  if (direction === undefined || start === undefined) return null
  const from = centreOf(start)
  const [nearest] = states
    .filter(isSelectable)
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

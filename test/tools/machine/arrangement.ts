// The positions of everything in a picture of the statechart, as plain data: the layout computes
// them, the drawing turns them into SVG, and a test looks for lines that cross a text.

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

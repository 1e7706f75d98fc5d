// A picture in which a line crosses a text or two boxes overlap cannot be read. Nobody looks at
// every picture after a change of the statechart, so this checks the positions.
import { describe, expect, it } from 'vitest'
import type { Arrangement, PlacedArrow, Point } from './arrangement.ts'
import { generateMachineData } from './generate.ts'

const { arrangements } = await generateMachineData()

type Rect = Point & { readonly width: number; readonly height: number }
type Text = { readonly id: string; readonly at: Rect }

const overlap = (one: Rect, other: Rect): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

/** Each straight line as a thin rectangle. */
const segmentsOf = ({ points }: PlacedArrow): readonly Rect[] =>
  points.slice(1).map((point, index) => {
    const before = points[index] ?? point
    return {
      x: Math.min(point.x, before.x) - 0.5,
      y: Math.min(point.y, before.y) - 0.5,
      width: Math.abs(point.x - before.x) + 1,
      height: Math.abs(point.y - before.y) + 1,
    }
  })

/** Everything that has a text of its own. A box has none: its header has. */
const textsOf = ({ states, arrows }: Arrangement): readonly Text[] => [
  ...states
    .filter(({ kind }) => kind !== 'box')
    .map((state) => ({ id: state.kind === 'header' ? `${state.id} header` : state.id, at: state })),
  ...arrows.map(({ from, to, label }) => ({ id: `${from} → ${to}`, at: label })),
]

describe.each(arrangements)('the picture of $region', (arrangement) => {
  const texts = textsOf(arrangement)

  it('has no text on another text, and none outside', () => {
    const frame = { x: 0, y: 0, width: arrangement.width, height: arrangement.height }
    const overlaps = texts.flatMap((one, index) =>
      texts.slice(index + 1).filter((other) => overlap(one.at, other.at)),
    )
    expect(overlaps).toEqual([])
    expect(texts.filter(({ at }) => !overlap(at, frame))).toEqual([])
  })

  it('has no line across a text or a state', () => {
    const crossings = arrangement.arrows.flatMap((arrow) =>
      texts
        .filter(({ id }) => id !== arrow.from && id !== arrow.to)
        .filter(({ at }) => segmentsOf(arrow).some((segment) => overlap(segment, at)))
        .map(({ id }) => `${arrow.from} → ${arrow.to} crosses ${id}`),
    )
    expect(crossings).toEqual([])
  })

  it('can be read at the width of a README', () => {
    expect(838 / arrangement.width).toBeGreaterThanOrEqual(0.9)
  })
})

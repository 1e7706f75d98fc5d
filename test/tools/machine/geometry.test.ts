// A picture in which a line crosses a text or two boxes overlap cannot be read. Nobody looks at
// every picture after a change of the statechart, so this checks the committed positions.
import { describe, expect, it } from 'vitest'
import type { Arrangement, PlacedArrow, Point } from './arrangement.ts'
import { generateMachineData } from './generate.ts'

const { arrangements } = await generateMachineData()

type Rect = Point & { readonly width: number; readonly height: number }

const overlap = (one: Rect, other: Rect): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

/** A straight line as a thin rectangle. */
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

const nameOf = ({ from, to }: PlacedArrow): string => `${from} → ${to}`

/** Everything that has a text of its own. A box has none: its header has. */
const textsOf = ({
  states,
  arrows,
}: Arrangement): readonly { readonly name: string; readonly at: Rect }[] => [
  ...states
    .filter(({ kind }) => kind !== 'box')
    .map((state) => ({ name: `${state.kind} ${state.id}`, at: state })),
  ...arrows.map((arrow) => ({ name: `label of ${nameOf(arrow)}`, at: arrow.label })),
]

describe.each(arrangements)('the picture of $region', (arrangement) => {
  it('has no text on another text', () => {
    const texts = textsOf(arrangement)
    const overlaps = texts.flatMap((one, index) =>
      texts
        .slice(index + 1)
        .flatMap((other) => (overlap(one.at, other.at) ? [`${one.name} on ${other.name}`] : [])),
    )
    expect(overlaps).toEqual([])
  })

  it('has no line across a text or a state', () => {
    const texts = textsOf(arrangement)
    const crossings = arrangement.arrows.flatMap((arrow) =>
      texts
        .filter(
          ({ name }) =>
            ![
              `state ${arrow.from}`,
              `state ${arrow.to}`,
              `passing ${arrow.from}`,
              `passing ${arrow.to}`,
            ].includes(name),
        )
        .filter(({ at }) => segmentsOf(arrow).some((segment) => overlap(segment, at)))
        .map(({ name }) => `${nameOf(arrow)} crosses ${name}`),
    )
    expect(crossings).toEqual([])
  })

  it('begins and ends each line at its states', () => {
    const at = new Map(
      arrangement.states.filter(({ kind }) => kind !== 'header').map((state) => [state.id, state]),
    )
    const touches = (point: Point | undefined, id: string): boolean => {
      const rect = at.get(id)
      return (
        point !== undefined &&
        rect !== undefined &&
        overlap({ x: point.x - 1, y: point.y - 1, width: 2, height: 2 }, rect)
      )
    }
    const loose = arrangement.arrows.filter(
      ({ points, from, to }) => !touches(points[0], from) || !touches(points.at(-1), to),
    )
    expect(loose.map(nameOf)).toEqual([])
  })

  it('lies within its frame', () => {
    const outside = textsOf(arrangement).filter(
      ({ at }) =>
        at.x < 0 ||
        at.y < 0 ||
        at.x + at.width > arrangement.width ||
        at.y + at.height > arrangement.height,
    )
    expect(outside.map(({ name }) => name)).toEqual([])
  })

  it('can be read at the width of a README', () => {
    const README_WIDTH = 838
    const SMALLEST_TEXT = 10
    const smallest = SMALLEST_TEXT * Math.min(1, README_WIDTH / arrangement.width)
    expect(smallest).toBeGreaterThanOrEqual(9)
  })
})

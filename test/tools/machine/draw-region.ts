// Draws a region of the statechart as SVG, once: everything that an order may highlight later has a
// `data-state` or `data-arrow`.
import type { Picture } from '../../../packages/server/src/api/machine/picture.ts'
import type { Arrangement, Line, PlacedArrow, PlacedState, Point } from './arrangement.ts'

export const drawRegion = ({ region, width, height, states, arrows }: Arrangement): Picture => ({
  region,
  width,
  height,
  boxes: states
    .filter(({ kind }) => kind === 'box')
    .map(stateSvg)
    .join('\n'),
  arrows: arrows.map(arrowSvg),
  states: [
    ...states.filter(({ kind }) => kind !== 'box').map(stateSvg),
    ...arrows.map(labelSvg),
  ].join('\n'),
})

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const PADDING = 10
const LINE = 15
const BASELINE = 11

const stateSvg = ({ id, x, y, width, height, lines, kind, tone }: PlacedState): string =>
  [
    `<g class="${kind} ${tone}" data-state="${id}">`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${kind === 'box' ? 10 : 8}"/>`,
    ...lines.map((line, index) =>
      lineSvg(line, lines[index + 1], x + PADDING, y + PADDING + BASELINE - 2 + index * LINE),
    ),
    '</g>',
    // Without the blanks, a screen reader would join the last word of a line to the first of the
    // next.
  ].join(' ')

const CHIP_INDENT = 12

/** `next`: the line below. The lines of one chip are a group. */
const lineSvg = (line: Line, next: Line | undefined, x: number, y: number): string => {
  if (line.style !== 'chip')
    return `<text class="${line.style}" x="${x}" y="${y}">${escapeText(line.text)}</text>`
  const text = `<text x="${x + CHIP_INDENT}" y="${y}">`
  const end = next?.style === 'chip' && next.name === null ? '' : '</g>'
  if (line.name === null) return `${text}${escapeText(line.text)}</text>${end}`
  return [
    `<g class="chip ${line.tone}" data-arrow="${line.arrow}">`,
    // Not every font has an arrow.
    `<path d="M${x} ${y - 3.5}h7m-3-3l3 3l-3 3"/>`,
    `${text}<tspan>${escapeText(line.name)}</tspan> ${escapeText(line.text)}</text>${end}`,
  ].join('')
}

const arrowSvg = ({ points, from, to }: PlacedArrow): string =>
  [
    `<path class="arrow" data-arrow="${from} ${to}" d="${roundCorners(points)}"/>`,
    `<path class="head" d="${headOf(points)}"/>`,
  ].join('')

const HEAD = [
  { along: -7, across: -4 },
  { along: 1, across: 0 },
  { along: -7, across: 4 },
]

/** A triangle at the end of a line, which has right angles. */
const headOf = (points: readonly Point[]): string => {
  const [before, end] = points.slice(-2)
  if (before === undefined || end === undefined) throw new Error('An arrow has no line.')
  const [right, down] = [Math.sign(end.x - before.x), Math.sign(end.y - before.y)]
  const corners = HEAD.map(({ along, across }) => {
    const x = end.x + along * right - across * down
    const y = end.y + along * down + across * right
    return `${round(x)} ${round(y)}`
  })
  return `M${corners.join('L')}z`
}

const labelSvg = ({ label: { x, y, width, lines }, from, to }: PlacedArrow): string =>
  [
    `<g class="label" data-arrow="${from} ${to}">`,
    ...lines.map(
      (text, index) =>
        `<text x="${x + width / 2}" y="${y + BASELINE + index * LINE}">${escapeText(text)}</text>`,
    ),
    '</g>',
  ].join('')

const RADIUS = 8

/** A line through the points whose corners are round. */
const roundCorners = (points: readonly Point[]): string =>
  points
    .map((point, index) => {
      const [before, next] = [points[index - 1], points[index + 1]]
      if (before === undefined) return `M${point.x} ${point.y}`
      if (next === undefined) return `L${point.x} ${point.y}`
      const [start, end] = [towards(point, before), towards(point, next)]
      return `L${start.x} ${start.y}Q${point.x} ${point.y} ${end.x} ${end.y}`
    })
    .join('')

const towards = (from: Point, to: Point): Point => {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length
  const between = (start: number, end: number): number => round(start + (end - start) * part)
  return { x: between(from.x, to.x), y: between(from.y, to.y) }
}

const round = (length: number): number => Math.round(length * 10) / 10

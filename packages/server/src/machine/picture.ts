// Draws a region of the statechart as SVG. One drawing serves light and dark, and can show the way
// that an order took. Pages run this file in the browser, so it imports only types.
import type { Arrangement, Line, PlacedArrow, PlacedState, Point } from './arrangement.ts'
import type { PathStep } from './order-path.ts'

/**
 * The way of an order: where it is, where it was, and the transitions that it took, each as `from
 * to`.
 */
export type Highlight = {
  readonly active: ReadonlySet<string>
  readonly visited: ReadonlySet<string>
  readonly arrows: ReadonlySet<string>
}

/** The way of an order up to the last of these steps. */
export const highlightOf = (steps: readonly PathStep[]): Highlight => ({
  active: new Set(steps.at(-1)?.active ?? []),
  visited: new Set(steps.flatMap(({ active }) => active)),
  arrows: new Set(steps.flatMap(({ arrows }) => arrows)),
})

/**
 * `style`: the text of `picture.css`, for a file that is shown on its own. Pages forbid inline
 * styles, and bring it themselves.
 */
type PictureOptions = {
  readonly highlight?: Highlight
  readonly style?: string
  readonly title?: string
}

export const svgOf = (
  arrangement: Arrangement,
  { highlight = highlightOf([]), style = '', title = arrangement.region }: PictureOptions = {},
): string => frameSvg(arrangement, title, style, contentOf(arrangement, highlight))

const REGION_GAP = 24

/** All regions below one another, as a file. `style`: as for `svgOf`. */
export const wholeSvgOf = (
  arrangements: readonly Arrangement[],
  highlight: Highlight,
  style: string,
  title = 'The statechart',
): string => {
  let top = 0
  const content = arrangements.map((arrangement) => {
    const placed = `<g transform="translate(0 ${top})">\n${contentOf(arrangement, highlight)}\n</g>`
    top += arrangement.height + REGION_GAP
    return placed
  })
  const size = {
    width: Math.max(...arrangements.map(({ width }) => width)),
    height: top - REGION_GAP,
  }
  return frameSvg(size, title, style, content.join('\n'))
}

const frameSvg = (
  { width, height }: { readonly width: number; readonly height: number },
  title: string,
  style: string,
  content: string,
): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="machine" role="img" aria-label="${escapeText(title)}">`,
    style && `<style>${style}</style>`,
    content,
    '</svg>',
  ].join('\n')

const contentOf = ({ states, arrows, region }: Arrangement, highlight: Highlight): string => {
  const isTaken = ({ from, to }: PlacedArrow) => highlight.arrows.has(`${from} ${to}`)
  // What the order took lies above the rest.
  const ordered = [...arrows].sort((one, other) => Number(isTaken(one)) - Number(isTaken(other)))
  return [
    `<defs>${marker(`${region}-arrow`, 'head')}${marker(`${region}-taken`, 'head taken')}</defs>`,
    ...states.filter(({ kind }) => kind === 'box').map((state) => stateSvg(state, highlight)),
    ...ordered.map((arrow) => arrowSvg(region, arrow, isTaken(arrow))),
    ...states.filter(({ kind }) => kind !== 'box').map((state) => stateSvg(state, highlight)),
    ...ordered.map((arrow) => labelSvg(arrow, isTaken(arrow))),
  ].join('\n')
}

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const marker = (id: string, look: string): string =>
  `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" class="${look}"/></marker>`

const PADDING = 10
const LINE = 15
const BASELINE = 11

const stateSvg = (state: PlacedState, highlight: Highlight): string => {
  const { id, x, y, width, height, lines, kind, tone } = state
  const looks = [
    kind,
    tone,
    highlight.active.has(id) ? 'active' : '',
    highlight.visited.has(id) ? 'visited' : '',
  ]
  return [
    `<g class="${looks.filter((look) => look !== '').join(' ')}" data-state="${escapeText(id)}">`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${kind === 'box' ? 10 : 8}"/>`,
    ...lines.map((line, index) =>
      lineSvg(line, x + PADDING, y + PADDING + BASELINE - 2 + index * LINE, highlight),
    ),
    '</g>',
    // Without the blanks, a screen reader would join the last word of a line to the first of the
    // next.
  ].join(' ')
}

const CHIP_INDENT = 12

const lineSvg = (line: Line, x: number, y: number, { arrows }: Highlight): string => {
  if (line.style !== 'chip')
    return `<text class="${line.style}" x="${x}" y="${y}">${escapeText(line.text)}</text>`
  const look = `chip ${line.tone}${arrows.has(line.arrow) ? ' taken' : ''}`
  const text = `<text class="${look}" x="${x + CHIP_INDENT}" y="${y}">`
  if (line.name === null) return `${text}${escapeText(line.text)}</text>`
  // Not every font has an arrow.
  const arrow = `<path class="${look}" d="M${x} ${y - 3.5}h7m-3-3l3 3l-3 3"/>`
  return `${arrow}${text}<tspan>${escapeText(line.name)}</tspan> ${escapeText(line.text)}</text>`
}

const arrowSvg = (region: string, { points, from, to }: PlacedArrow, isTaken: boolean): string =>
  `<path class="arrow${isTaken ? ' taken' : ''}" data-arrow="${escapeText(`${from} ${to}`)}" d="${roundCorners(points)}" marker-end="url(#${region}-${isTaken ? 'taken' : 'arrow'})"/>`

const labelSvg = ({ label: { x, y, width, lines } }: PlacedArrow, isTaken: boolean): string =>
  lines
    .map(
      (text, index) =>
        `<text class="label${isTaken ? ' taken' : ''}" x="${x + width / 2}" y="${y + BASELINE + index * LINE}">${escapeText(text)}</text>`,
    )
    .join('')

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
  const between = (start: number, end: number): number =>
    Math.round((start + (end - start) * part) * 10) / 10
  return { x: between(from.x, to.x), y: between(from.y, to.y) }
}

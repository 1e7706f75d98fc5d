// Draws a region of the statechart as SVG. One drawing serves light and dark, and can show the path that an order took.
import type { Arrangement, Line, PlacedArrow, PlacedState, Point } from './arrangement.ts'

/** What an order did: where it is, where it was, and the arrows that it took, each as `from to`. */
export type Highlight = {
  readonly active: ReadonlySet<string>
  readonly visited: ReadonlySet<string>
  readonly taken: ReadonlySet<string>
}

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export const svgOf = (arrangement: Arrangement, highlight?: Highlight): string => {
  const { width, height, states, arrows, region } = arrangement
  const isTaken = ({ from, to }: PlacedArrow) => highlight?.taken.has(`${from} ${to}`) ?? false
  const ordered = [...arrows].sort((one, other) => Number(isTaken(one)) - Number(isTaken(other)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="machine" role="img" aria-label="${escapeText(region)}">`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" class="head"/></marker>',
    '<marker id="arrow-taken" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" class="head taken"/></marker></defs>',
    ...states.filter(({ kind }) => kind === 'box').map((state) => stateSvg(state, highlight)),
    ...ordered.map((arrow) => arrowSvg(arrow, isTaken(arrow))),
    ...states.filter(({ kind }) => kind !== 'box').map((state) => stateSvg(state, highlight)),
    ...ordered.map((arrow) => labelSvg(arrow, isTaken(arrow))),
    '</svg>',
  ].join('\n')
}

const PADDING = 10
const LINE = 15

const stateSvg = (state: PlacedState, highlight: Highlight | undefined): string => {
  const { id, x, y, width, height, lines, kind, tone } = state
  const marks = [kind, tone, highlight?.active.has(id) ? 'active' : '', highlight?.visited.has(id) ? 'visited' : '']
  return [
    `<g class="${marks.filter((mark) => mark !== '').join(' ')}" data-state="${escapeText(id)}">`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${kind === 'box' ? 10 : 8}"/>`,
    ...lines.map((line, index) => lineSvg(line, x + PADDING, y + PADDING + 9 + index * LINE)),
    '</g>',
  ].join('')
}

const lineSvg = (line: Line, x: number, y: number): string => {
  if (line.style !== 'chip') return `<text class="${line.style}" x="${x}" y="${y}">${escapeText(line.text)}</text>`
  const name = line.name === null ? '' : `<tspan class="to ${line.tone}">${escapeText(line.name)}</tspan> `
  const arrow = line.name === null ? '' : `<path class="chip ${line.tone}" d="M${x} ${y - 3.5}h7m-3-3l3 3l-3 3"/>`
  return `${arrow}<text class="chip" data-chip="${escapeText(line.to)}" x="${x + 12}" y="${y}">${name}${escapeText(line.text)}</text>`
}

const arrowSvg = ({ points, from, to }: PlacedArrow, isTaken: boolean): string =>
  `<path class="arrow${isTaken ? ' taken' : ''}" data-arrow="${escapeText(`${from} ${to}`)}" d="${rounded(points)}" marker-end="url(#arrow${isTaken ? '-taken' : ''})"/>`

const labelSvg = ({ label: { x, y, width, height, lines } }: PlacedArrow, isTaken: boolean): string =>
  [
    `<rect class="label" x="${x}" y="${y}" width="${width}" height="${height}"/>`,
    ...lines.map(
      (text, index) =>
        `<text class="label${isTaken ? ' taken' : ''}" x="${x + width / 2}" y="${y + 11 + index * LINE}">${escapeText(text)}</text>`,
    ),
  ].join('')

const RADIUS = 8

/** A line through the points whose corners are round. */
const rounded = (points: readonly Point[]): string => {
  const [first, ...rest] = points
  if (first === undefined) return ''
  return rest.reduce((path, point, index) => {
    const next = rest[index + 1]
    const before = index === 0 ? first : rest[index - 1]
    if (next === undefined || before === undefined) return `${path}L${point.x} ${point.y}`
    const start = towards(point, before)
    const end = towards(point, next)
    return `${path}L${start.x} ${start.y}Q${point.x} ${point.y} ${end.x} ${end.y}`
  }, `M${first.x} ${first.y}`)
}

const towards = (from: Point, to: Point): Point => {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length
  return {
    x: Math.round((from.x + (to.x - from.x) * part) * 10) / 10,
    y: Math.round((from.y + (to.y - from.y) * part) * 10) / 10,
  }
}

const STYLE = `
.machine { --ink: #1a1f36; --soft: #5b6478; --faint: #8a93a6; --card: #fff; --ground: #f6f7fb; --edge: #d9deea; --line: #a3acc2; --accent: #4f46e5; --glow: #eef0ff; --bad: #b3261e; --good: #15803d; font: 10.5px "Open Sans", system-ui, "Segoe UI", Roboto, Arial, sans-serif }
@media (prefers-color-scheme: dark) { .machine { --ink: #e8eaf2; --soft: #a9b1c6; --faint: #8d96ad; --card: #1c2030; --ground: #141824; --edge: #333a50; --line: #6b7590; --accent: #9d97ff; --glow: #262a4a; --bad: #ff9d94; --good: #6ee7a0 } }
.machine text { fill: var(--ink) }
.machine rect { fill: var(--card); stroke: var(--edge) }
.machine .box > rect { fill: var(--ground) }
.machine .header > rect { stroke: none; fill: none }
.machine .passing > rect { fill: var(--ground) }
.machine .title { font-size: 12px; font-weight: 600 }
.machine .passing text.passing { fill: var(--soft); font-size: 10px }
.machine text.box { font-size: 12px; font-weight: 600; fill: var(--soft) }
.machine text.caption { fill: var(--soft) }
.machine text.wait { font: 10px ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; fill: var(--soft) }
.machine text.section { fill: var(--faint); font-size: 10px }
.machine text.chip { font-size: 10px; fill: var(--soft) }
.machine path.chip { fill: none; stroke: var(--faint); stroke-width: 1.2 } .machine path.chip.bad { stroke: var(--bad) } .machine path.chip.good { stroke: var(--good) }
.machine tspan.bad { fill: var(--bad) } .machine tspan.good { fill: var(--good) }
.machine .good > rect { stroke: var(--good) }
.machine .arrow { fill: none; stroke: var(--line); stroke-width: 1.2 }
.machine .arrow.taken { stroke: var(--accent); stroke-width: 2 }
.machine .head { fill: var(--line) } .machine .head.taken { fill: var(--accent) }
.machine rect.label { fill: none; stroke: none }
.machine text.label { font-size: 10px; fill: var(--soft); text-anchor: middle }
.machine text.label.taken { fill: var(--ink) }
.machine .visited > rect:first-of-type { stroke: var(--accent) }
.machine .active > rect:first-of-type { stroke: var(--accent); stroke-width: 2; fill: var(--glow) }
`

// Draws the figures as bars, in one SVG that is readable on light and dark backgrounds. Bars of one
// part share a scale; parts do not.
import { contendersOf, figureNamesOf, figureOf, isOwn, UNITS } from './figures.ts'
import type { Result } from './results.ts'

const WIDTH = 860
const LABELS = 290
const NUMBERS = 130
const BAR = 18
const ROW = 26
const HEADING = 34
const MARGIN = 14

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

export const shownNumber = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .heading { font-weight: 600; }
  .own { fill: #1a7f64; }
  .other { fill: #8c959f; }
  .spread { stroke: #1f2328; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .own { fill: #3fb68b; }
    .other { fill: #6e7681; }
    .spread { stroke: #e6edf3; }
  }`

const bars = (result: Result, top: number): { readonly svg: string; readonly bottom: number } => {
  const figure = figureNamesOf(result)[0] ?? ''
  const rows = contendersOf(result).map((contender) => ({
    contender,
    ...figureOf(result, contender, figure),
  }))
  const most = Math.max(...rows.map(({ high }) => high))
  const scale = (value: number): number => (value / most) * (WIDTH - LABELS - NUMBERS)
  const drawn = rows.map(({ contender, median, low, high }, index) => {
    const y = top + HEADING + index * ROW
    const middle = y + BAR / 2
    return `
  <text x="${LABELS - 10}" y="${middle + 4}" text-anchor="end">${escapeXml(contender)}</text>
  <rect x="${LABELS}" y="${y}" width="${scale(median).toFixed(1)}" height="${BAR}" class="${isOwn(contender) ? 'own' : 'other'}"/>
  <line x1="${(LABELS + scale(low)).toFixed(1)}" x2="${(LABELS + scale(high)).toFixed(1)}" y1="${middle}" y2="${middle}" class="spread"/>
  <text x="${(LABELS + scale(high) + 8).toFixed(1)}" y="${middle + 4}">${shownNumber(median)}</text>`
  })
  const heading = `
  <text x="${MARGIN}" y="${top + 20}" class="heading">${escapeXml(`${result.part}: ${UNITS[figure] ?? figure}`)}</text>`
  return { svg: heading + drawn.join(''), bottom: top + HEADING + rows.length * ROW + MARGIN }
}

export const plot = (results: readonly Result[]): string => {
  let bottom = 0
  const parts = results.map((result) => {
    const drawn = bars(result, bottom)
    bottom = drawn.bottom
    return drawn.svg
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom}" role="img" aria-label="The figures of the benchmark as bars">
  <style>${STYLE}
  </style>${parts.join('')}
</svg>
`
}

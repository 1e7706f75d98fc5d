// Shows the way that an order took on the pictures of the statechart. They are drawn once, in light
// and dark (`pnpm machine`), so here the way only adds to their classes. Pages run this file in the
// browser, so it imports only types.
import type { PathStep } from './order-path.ts'

/** A region as SVG, in layers. What may be highlighted has a `data-state` or a `data-arrow`. */
export type Picture = {
  readonly region: string
  readonly width: number
  readonly height: number
  readonly boxes: string
  readonly arrows: readonly string[]
  /** With the labels of the arrows. */
  readonly states: string
}

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

const showWay = (svg: string, { active, visited, arrows }: Highlight): string =>
  svg.replace(/" data-(state|arrow)="([^"]*)"/g, (mark, kind: string, id: string) => {
    const looks = [
      kind === 'arrow' && arrows.has(id) && ' taken',
      kind === 'state' && active.has(id) && ' active',
      kind === 'state' && visited.has(id) && ' visited',
    ]
    return looks.filter(Boolean).join('') + mark
  })

const NOT_TAKEN = highlightOf([])

/** A region, with the way of an order on it. A page brings the style, `picture.css`, itself. */
export const svgOf = (
  { region, width, height, boxes, arrows, states }: Picture,
  highlight = NOT_TAKEN,
): string => {
  const isTaken = (arrow: string): number => Number(arrow.includes(' taken'))
  // What the order took lies above the rest.
  const ways = arrows
    .map((arrow) => showWay(arrow, highlight))
    .sort((one, other) => isTaken(one) - isTaken(other))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="machine" role="img" aria-label="The statechart of the ${region}">`,
    showWay(boxes, highlight),
    ...ways,
    showWay(states, highlight),
    '</svg>',
  ].join('\n')
}

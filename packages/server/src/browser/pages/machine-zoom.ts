// The size and the scroll position of the picture in <plazo-machine>. Without them a picture that is wider than its place would
// be too small to read, and the current state would be out of sight.
import { makeButton } from './machine-parts.ts'

const STEP = 1.25
const [SMALLEST, LARGEST] = [0.25, 4]
/** The smallest scale at which the letters can be read. A picture that is wider then scrolls. */
const READABLE = 0.9

type Zoom = {
  readonly buttons: readonly HTMLButtonElement[]
  /** Call it after the picture has been drawn again. */
  readonly draw: () => void
  /** Scrolls to the state that is active, or to the selected one. */
  readonly reveal: (which: 'active' | 'selected') => void
}

/** `panel` scrolls, and holds the picture. */
export const zoomOf = (panel: HTMLElement): Zoom => {
  /** `fit`: as wide as the panel. `readable`: the same, but never too small to read. */
  let zoom: number | 'fit' | 'readable' = 'readable'

  const draw = (): void => {
    const svg = panel.querySelector('svg')
    if (svg === null) return
    const widthAt = (scale: number): string => `${Math.round(svg.viewBox.baseVal.width * scale)}px`
    svg.style.maxWidth = typeof zoom === 'number' ? 'none' : ''
    svg.style.width = typeof zoom === 'number' ? widthAt(zoom) : ''
    svg.style.minWidth = zoom === 'readable' ? widthAt(READABLE) : ''
  }

  /** The columns of a state, and of the names of boxes near it as far as all fit in the panel: a name is not cut. */
  const columnsAround = (state: Element, frame: DOMRect): readonly [left: number, right: number] => {
    const { top, left, right } = state.getBoundingClientRect()
    const names = [...panel.querySelectorAll('.header')].map((name) => name.getBoundingClientRect())
    return names
      .filter((name) => Math.abs(name.top - top) < frame.height / 2)
      .reduce<readonly [number, number]>(
        (columns, name) => {
          const wider = [Math.min(columns[0], name.left), Math.max(columns[1], name.right)] as const
          return wider[1] - wider[0] < frame.width ? wider : columns
        },
        [left, right],
      )
  }

  /** Scrolls only the panel: a page must not move while somebody reads it. Without such a state it shows the first one. */
  const reveal: Zoom['reveal'] = (which) => {
    const frame = panel.getBoundingClientRect()
    const match = panel.querySelector(`.${which}`)
    const target = match ?? panel.querySelector('.state')
    if (target === null) return
    const { top, bottom, height } = target.getBoundingClientRect()
    const [start, end] = columnsAround(target, frame)
    const isInRows = match === null || (top >= frame.top && bottom <= frame.bottom)
    const isInColumns = start >= frame.left && end <= frame.right
    if (isInRows && isInColumns) return
    if (!isInRows) panel.scrollTop += top - frame.top - (frame.height - height) / 2
    panel.scrollLeft += start - frame.left - (frame.width - (end - start)) / 2
  }

  const zoomTo = (expected: number | 'fit'): void => {
    zoom = expected
    draw()
    reveal('active')
  }

  const zoomBy = (factor: number): void => {
    const svg = panel.querySelector('svg')
    if (svg === null) return
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width
    zoomTo(Math.min(LARGEST, Math.max(SMALLEST, scale * factor)))
  }

  const buttons = [
    makeButton('−', () => zoomBy(1 / STEP), { 'aria-label': 'Smaller' }),
    makeButton('+', () => zoomBy(STEP), { 'aria-label': 'Larger' }),
    makeButton('Fit', () => zoomTo('fit')),
  ]
  return { buttons, draw, reveal }
}

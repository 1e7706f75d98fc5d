// <plazo-machine> shows a region in one of two views: as a picture, or as a list without arrows for
// phones and screen readers.

import { make, makeButton, setAttributes } from '../../http/page/script/dom.ts'
import { findNeighbour, type Place } from '../arrow-keys.ts'
import type { StateCard } from '../machine-data.ts'
import { type Highlight, type Picture, svgOf } from '../picture.ts'

const STEP = 1.25
const [SMALLEST, LARGEST] = [0.25, 4]
/** The smallest scale at which the letters can be read. A picture that is wider then scrolls. */
const READABLE = 1

/**
 * `panel` scrolls, and holds the picture. Without a scale of its own, a picture that is wider than
 * its place would be too small to read, and the current state would be out of sight. Its states are
 * buttons: one tab stop, from which arrow keys move to the nearest.
 */
export const makePicture = (panel: HTMLElement, select: (id: string) => void) => {
  /**
   * `fit`: the whole picture in the panel. `readable`: as wide as the panel, but never too small to
   * read.
   */
  let zoom: number | 'fit' | 'readable' = 'readable'
  /** The state that had the focus last: the tab stop, while it is in the picture. */
  let focused: string | null = null

  const resize = (): void => {
    const svg = panel.querySelector('svg')
    if (svg === null) return
    const widthAt = (scale: number): string => `${Math.floor(svg.viewBox.baseVal.width * scale)}px`
    svg.style.maxWidth = zoom === 'readable' ? '' : 'none'
    svg.style.minWidth = zoom === 'readable' ? widthAt(READABLE) : ''
    svg.style.width = zoom === 'readable' ? '' : widthAt(zoom === 'fit' ? fitScale(svg) : zoom)
  }

  /**
   * The panel is as high as its content, up to a limit. So it is measured with more content than
   * fits.
   */
  const fitScale = (svg: SVGSVGElement): number => {
    const { width, height } = svg.viewBox.baseVal
    svg.style.width = `${width * LARGEST}px`
    const { paddingInline, paddingBlock } = getComputedStyle(panel)
    const room = [
      panel.clientWidth - 2 * Number.parseFloat(paddingInline),
      panel.clientHeight - 2 * Number.parseFloat(paddingBlock),
    ]
    return Math.min((room[0] ?? 0) / width, (room[1] ?? 0) / height, LARGEST)
  }

  const stateButtons = (): readonly SVGGElement[] => [
    ...panel.querySelectorAll<SVGGElement>('svg [role=button]'),
  ]

  const moveTabStop = (): void => {
    const buttons = stateButtons()
    const stop =
      buttons.find(({ dataset }) => dataset.state === focused) ??
      buttons.find((button) => button.matches('.selected')) ??
      buttons.find((button) => button.matches('.active')) ??
      buttons[0]
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1
  }

  const draw = (picture: Picture, highlight: Highlight, selected: string | null): void => {
    // Made from our own data; every text in it is escaped.
    panel.innerHTML = svgOf([picture], {
      highlight,
      title: `The statechart of the ${picture.region}`,
    })
    panel.querySelector('svg')?.setAttribute('role', 'group')
    for (const part of panel.querySelectorAll<SVGElement>('svg > g > *')) {
      const isSelected = part.dataset.state === selected
      part.classList.toggle('selected', isSelected)
      // A box and its header only name what is inside.
      setAttributes(
        part,
        part.matches('.state, .passing')
          ? {
              role: 'button',
              'aria-pressed': String(isSelected),
              'aria-current': part.matches('.active') && 'true',
            }
          : { 'aria-hidden': 'true' },
      )
    }
    moveTabStop()
    resize()
  }

  const stateAt = ({ target }: Event): string | undefined =>
    target instanceof Element
      ? target.closest<SVGGElement>('svg [role=button]')?.dataset.state
      : undefined

  const moveTo = (id: string): void => {
    const button = stateButtons().find(({ dataset }) => dataset.state === id)
    button?.focus({ preventScroll: true })
    reveal(button ?? null)
    panel.scrollIntoView({ block: 'nearest' })
  }

  panel.addEventListener('click', (event) => {
    const id = stateAt(event)
    if (id !== undefined) select(id)
  })
  panel.addEventListener('focusin', (event) => {
    focused = stateAt(event) ?? focused
    moveTabStop()
  })
  panel.addEventListener('keydown', (event) => {
    const id = stateAt(event)
    const hasModifier = event.altKey || event.ctrlKey || event.metaKey
    if (id === undefined || hasModifier) return
    const next = findNeighbour(stateButtons().map(placeOf), id, event.key)
    if (next !== null) moveTo(next)
    else if (event.key === 'Enter' || event.key === ' ') select(id)
    else return
    event.preventDefault()
  })

  /**
   * The columns of a state, and of the names of boxes near it as far as all fit in the panel: a
   * name is not cut.
   */
  const columnsAround = (
    state: Element,
    frame: DOMRect,
  ): { readonly start: number; readonly end: number } => {
    const { top, left, right } = state.getBoundingClientRect()
    let columns = { start: left, end: right }
    for (const header of panel.querySelectorAll('.header')) {
      const box = header.getBoundingClientRect()
      const wider = {
        start: Math.min(columns.start, box.left),
        end: Math.max(columns.end, box.right),
      }
      if (Math.abs(box.top - top) < frame.height / 2 && wider.end - wider.start < frame.width)
        columns = wider
    }
    return columns
  }

  /**
   * Scrolls only the panel: a page must not move while somebody reads it. Without such a state it
   * shows the first one.
   */
  const reveal = (match: Element | null): void => {
    const frame = panel.getBoundingClientRect()
    const target = match ?? panel.querySelector('.state')
    if (target === null) return
    const { top, bottom, height } = target.getBoundingClientRect()
    const { start, end } = columnsAround(target, frame)
    const isInRows = match === null || (top >= frame.top && bottom <= frame.bottom)
    const isInColumns = start >= frame.left && end <= frame.right
    if (isInRows && isInColumns) return
    if (!isInRows) panel.scrollTop += top - frame.top - (frame.height - height) / 2
    panel.scrollLeft += start - frame.left - (frame.width - (end - start)) / 2
  }

  const zoomTo = (scale: number | 'fit'): void => {
    zoom = scale
    resize()
    reveal(panel.querySelector('.active'))
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
  return {
    buttons,
    draw,
    reveal: (which: 'active' | 'selected') => reveal(panel.querySelector(`.${which}`)),
  }
}

const placeOf = (button: SVGElement): Place => {
  const { x, y, width, height } = button.getBoundingClientRect()
  return { id: button.dataset.state ?? '', x: x + width / 2, y: y + height / 2 }
}

/** The states of a region as cards. */
export const makeList = (
  cards: readonly StateCard[],
  { active, visited }: Highlight,
  selected: string | null,
  select: (id: string) => void,
): HTMLElement => {
  const items = new Map<string, HTMLElement>()
  const showItem = (id: string): void => {
    const item = items.get(id)
    item?.scrollIntoView({ block: 'nearest' })
    item?.querySelector('button')?.focus()
  }
  for (const { id, title, depth, caption, wait, section, ways } of cards) {
    const looks = [
      active.has(id) && 'active',
      visited.has(id) && 'visited',
      id === selected && 'selected',
    ]
    const links = ways.map(({ words, to, toTitle }) => {
      const link = make('a', { href: '#' }, toTitle)
      link.addEventListener('click', (event) => {
        event.preventDefault()
        showItem(to)
      })
      return make('li', {}, [`${words} `, link])
    })
    const item = make(
      'li',
      { class: looks.filter(Boolean).join(' '), 'aria-current': active.has(id) && 'true' },
      [
        make(
          'h2',
          {},
          makeButton(title, () => select(id), { 'data-state': id }),
        ),
        caption && make('p', {}, caption),
        wait && make('p', {}, [make('code', {}, wait), section && ` · ${section}`]),
        links.length > 0 && make('ul', { class: 'ways' }, links),
      ],
    )
    item.style.marginInlineStart = `${depth}rem`
    items.set(id, item)
  }
  return make('ul', { class: 'cards' }, [...items.values()])
}

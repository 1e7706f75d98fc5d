// <plazo-machine> shows a region in one of two views: as a picture, or as a list without arrows for
// phones and screen readers.

import type { StateCard } from '../../api/machine/machine-data.ts'
import { type Highlight, type Picture, svgOf } from '../../api/machine/picture.ts'
import { make, setAttributes } from '../../http/page/script/dom.ts'

/** Draws into `panel`. The states of a picture are buttons with the state's id as `data-state`. */
export const drawPicture = (
  panel: HTMLElement,
  picture: Picture,
  highlight: Highlight,
  selected: string | null,
): void => {
  // Made from our own data; every text in it is escaped.
  panel.innerHTML = svgOf(picture, highlight)
  panel.querySelector('svg')?.setAttribute('role', 'group')
  for (const part of panel.querySelectorAll<SVGElement>('svg > *')) {
    const isSelected = part.dataset.state === selected
    part.classList.toggle('selected', isSelected)
    // A box and its header only name what is inside.
    setAttributes(
      part,
      part.matches('.state, .passing')
        ? {
            role: 'button',
            tabindex: '0',
            'aria-pressed': String(isSelected),
            'aria-current': part.matches('.active') && 'true',
          }
        : { 'aria-hidden': 'true' },
    )
  }
}

/**
 * Scrolls until the state is in sight, or else the first one. Only the panel scrolls: a page must not
 * move while somebody reads it.
 */
export const reveal = (panel: HTMLElement, state: '.active' | '.selected'): void => {
  const target = panel.querySelector(state) ?? panel.querySelector('.state')
  if (target === null) return
  const frame = panel.getBoundingClientRect()
  const { top, bottom, left, right, height } = target.getBoundingClientRect()
  if (top < frame.top || bottom > frame.bottom)
    panel.scrollTop += top - frame.top - (frame.height - height) / 2
  // Closer to the end of the row, because the names of boxes are at the left.
  if (left < frame.left || right > frame.right)
    panel.scrollLeft += right - frame.right + frame.width / 5
}

/** The states of a region as cards. Their buttons have the state's id as `data-state` too. */
export const makeList = (
  cards: readonly StateCard[],
  { active, visited }: Highlight,
  selected: string | null,
): HTMLElement => {
  const buttons = new Map(
    cards.map(({ id, title }) => [id, make('button', { type: 'button', 'data-state': id }, title)]),
  )
  const items = cards.map(({ id, depth, caption, wait, section, ways }) => {
    const looks = [
      active.has(id) && 'active',
      visited.has(id) && 'visited',
      id === selected && 'selected',
    ]
    const links = ways.map(({ words, to, toTitle }) => {
      const onclick = (event: Event): void => {
        event.preventDefault()
        buttons.get(to)?.focus()
      }
      return make('li', `${words} `, make('a', { href: '#', onclick }, toTitle))
    })
    const item = make(
      'li',
      { class: looks.filter(Boolean).join(' '), 'aria-current': active.has(id) && 'true' },
      make('h2', buttons.get(id)),
      caption && make('p', caption),
      wait && make('p', make('code', wait), section && ` · ${section}`),
      links.length > 0 && make('ul.ways', links),
    )
    item.style.marginInlineStart = `${depth}rem`
    return item
  })
  return make('ul.cards', items)
}

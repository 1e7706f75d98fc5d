// The list in <plazo-machine>: the states of a region without arrows, for phones and screen readers.
import type { StateCard } from '../../machine/machine-data.ts'
import type { Highlight } from '../../machine/picture.ts'
import { make, makeButton } from '../shared/dom.ts'

type ListOptions = Pick<Highlight, 'active' | 'visited'> & {
  readonly selected: string | null
  readonly select: (id: string) => void
}

export const makeList = (
  cards: readonly StateCard[],
  { active, visited, selected, select }: ListOptions,
): HTMLElement => {
  const items = new Map<string, HTMLElement>()
  for (const card of cards) {
    const looks = [
      active.has(card.id) ? 'active' : '',
      visited.has(card.id) ? 'visited' : '',
      card.id === selected ? 'selected' : '',
    ]
    const title = makeButton(card.title, () => select(card.id), { 'data-state': card.id })
    const item = make('li', { class: looks.join(' ').trim() }, make('h2', {}, title))
    item.style.marginInlineStart = `${card.depth}rem`
    if (active.has(card.id)) item.setAttribute('aria-current', 'true')
    if (card.caption !== null) item.append(make('p', {}, card.caption))
    if (card.wait !== null)
      item.append(make('p', {}, make('code', {}, card.wait), card.section === null ? '' : ` · ${card.section}`))
    items.set(card.id, item)
  }
  for (const card of cards) {
    if (card.ways.length === 0) continue
    const ways = card.ways.map(({ words, to, toTitle }) => {
      const link = make('a', { href: '#' }, toTitle)
      link.addEventListener('click', (event) => {
        event.preventDefault()
        const target = items.get(to)
        target?.scrollIntoView({ block: 'nearest' })
        target?.querySelector('button')?.focus()
      })
      return make('li', {}, `${words} `, link)
    })
    items.get(card.id)?.append(make('ul', { class: 'ways' }, ...ways))
  }
  return make('ul', { class: 'cards' }, ...items.values())
}

// The parts of <plazo-machine> that are made of texts: its elements, and the list of states.
import type { StateCard } from '../../machine/state-card.ts'

/** Makes an element with text; texts never become markup. */
export const make = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

export const makeButton = (
  text: string,
  act: () => void,
  attributes: Readonly<Record<string, string>> = {},
): HTMLButtonElement => {
  const button = make('button', { type: 'button', ...attributes }, text)
  button.addEventListener('click', act)
  return button
}

type ListOptions = {
  readonly active: ReadonlySet<string>
  readonly visited: ReadonlySet<string>
  readonly selected: string | null
  readonly select: (id: string) => void
}

/** The states of a region without arrows. */
export const listOf = (
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
    const title = makeButton(card.title, () => select(card.id))
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

// The parts of <plazo-machine> that are made of texts: the list of states, and the answer to "How do I get here?".
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
  readonly select: (id: string) => void
}

/** The states of a region without arrows. */
export const listOf = (cards: readonly StateCard[], { active, visited, select }: ListOptions): HTMLElement => {
  const items = new Map<string, HTMLElement>()
  for (const card of cards) {
    const look = [active.has(card.id) ? 'active' : '', visited.has(card.id) ? 'visited' : ''].join(' ').trim()
    const title = makeButton(card.title, () => select(card.id))
    const item = make('li', { class: look }, make('h2', {}, title))
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

type GuideOptions = {
  /** Where a page runs the way of the surnames that follow; null if the page has no such link. */
  readonly personLink: string | null
  /** Runs the way here; null if this page cannot. */
  readonly run: ((trigger: string, steps: readonly string[]) => void) | null
}

/** How an order gets to a state: the shortest way, and the sandbox's shopper who takes it. */
export const guideOf = ({ title, guide }: StateCard, { personLink, run }: GuideOptions): HTMLElement => {
  const section = make('section', { class: 'guide', 'aria-label': `How do I get to ${title}?` })
  section.append(make('h2', {}, `How do I get to ${title}?`))
  if (guide === null) {
    section.append(make('p', {}, 'Select one of the states inside it.'))
    return section
  }
  const { trigger, steps } = guide
  if (steps.length === 0) section.append(make('p', {}, 'A new order is here.'))
  else section.append(make('ol', {}, ...steps.map((step) => make('li', {}, step))))
  if (personLink === null && run === null) return section
  if (trigger === null) {
    section.append(make('p', {}, 'No shopper takes this way: a provider must fail.'))
    return section
  }
  section.append(
    make('p', {}, ...(trigger === '' ? ['Any shopper takes this way.'] : ['Surnames: ', make('code', {}, trigger)])),
  )
  if (run !== null) section.append(makeButton('Run it', () => run(trigger, steps)))
  else if (personLink !== null)
    section.append(make('p', {}, make('a', { href: `${personLink}${encodeURIComponent(trigger)}` }, 'Try it')))
  return section
}

// Searches the reference page without asking the server, copies its examples, and marks in the
// contents what is being read.
import '../../../http/page/script/copy-buttons.entry.ts'
import { make } from '../../../http/page/script/dom.ts'
import { type Entry, searchEntries } from './search.ts'

const input = document.getElementById('find') as HTMLInputElement
const count = document.getElementById('count') as HTMLElement
const list = document.getElementById('found') as HTMLElement
const contents = document.querySelector('.side details') as HTMLDetailsElement

const textOf = (parent: Element, selector: string): string =>
  parent.querySelector(selector)?.textContent ?? ''

const SHOWN_MAX = 20

// Read when it is first needed: the page has hundreds of kilobytes of text.
let entries: readonly Entry[] | undefined
const readEntries = (): readonly Entry[] =>
  [...document.querySelectorAll('main article')].map((article) => ({
    id: article.id,
    title: textOf(article, 'h3').replace(/ #$/, ''),
    call: textOf(article, '.call'),
    names: [...article.querySelectorAll('.name')].map((name) => name.textContent ?? ''),
    text: article.textContent ?? '',
  }))

const showResults = (): void => {
  entries ??= readEntries()
  const results = searchEntries(entries, input.value)
  list.replaceChildren(
    ...results
      .slice(0, SHOWN_MAX)
      .map(({ entry: { id, title }, because }) =>
        make('li', {}, make('a', { href: `#${id}` }, [title, make('small', {}, because)])),
      ),
  )
  count.textContent =
    input.value.trim() === ''
      ? ''
      : `${results.length} found${results.length > SHOWN_MAX ? `, the best ${SHOWN_MAX} are listed` : ''}`
  contents.hidden = input.value.trim() !== ''
}

const clearSearch = (): void => {
  input.value = ''
  showResults()
}

const moveFocus = (step: number): void => {
  const places = [input, ...list.querySelectorAll('a')]
  const at = places.indexOf(document.activeElement as HTMLInputElement)
  if (at >= 0) places[Math.max(0, Math.min(places.length - 1, at + step))]?.focus()
}

addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof Element && event.target.matches('input, textarea, select')
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    input.focus()
  } else if (!(event.target instanceof Node && input.closest('search')?.contains(event.target)))
    return
  else if (event.key === 'Escape') {
    clearSearch()
    input.focus()
  } else if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click()
  else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    moveFocus(event.key === 'ArrowDown' ? 1 : -1)
  }
})
input.addEventListener('input', showResults)
list.addEventListener('click', clearSearch)
contents.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement) contents.open = false
})

for (const label of document.querySelectorAll('.code .label'))
  label.append(make('button', { type: 'button', 'data-copy': '', 'aria-live': 'polite' }, 'Copy'))

const markCurrent = (id: string): void => {
  const link = contents.querySelector(`a[href="#${id}"]`)
  if (link === null) return
  for (const former of contents.querySelectorAll('[aria-current]'))
    former.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'true')
  link.scrollIntoView({ block: 'nearest' })
}

const observer = new IntersectionObserver(
  (changes) => {
    for (const { isIntersecting, target } of changes) if (isIntersecting) markCurrent(target.id)
  },
  { rootMargin: '-10% 0px -80% 0px' },
)
for (const article of document.querySelectorAll('main section > article')) observer.observe(article)

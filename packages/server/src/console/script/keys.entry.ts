// Keys for operators who decide about many orders. Each does what a link or a button of the page
// does too, so that the console works without this script: `/` goes to the search, `j` and `k` move
// through the rows, and any other key does what the page marks with it.

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, select, textarea')

const focusIn = (part: Element | undefined, what: string): boolean => {
  const target = part?.querySelector<HTMLElement>(what)
  target?.focus()
  return target != null
}

/** `data-row`: one entry of a list. The first press goes to the first. */
const moveBy = (steps: number): boolean => {
  const rows = [...document.querySelectorAll('[data-row]')]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = Math.min(Math.max(current + steps, 0), rows.length - 1)
  return focusIn(rows[next], 'a')
}

/**
 * Follows the link with this key, or opens what it unfolds and focuses its button. In a list, the
 * row that has the focus decides.
 */
const actOn = (key: string): boolean => {
  const row = document.activeElement?.closest('[data-row]')
  const target = [row, document.body].flatMap((part) => [
    ...(part?.querySelectorAll<HTMLElement>('[data-key]') ?? []),
  ])
  const found = target.find((each) => each.dataset.key === key)
  if (found instanceof HTMLDetailsElement) {
    found.open = true
    return focusIn(found, 'button')
  }
  found?.click()
  return found !== undefined
}

const act = (key: string): boolean => {
  if (key === '/') return focusIn(document.body, '[role="search"] input')
  if (key === 'j' || key === 'k') return moveBy(key === 'j' ? 1 : -1)
  return actOn(key)
}

document.addEventListener('keydown', (event) => {
  const { key, target, altKey, ctrlKey, metaKey, repeat } = event
  if (altKey || ctrlKey || metaKey || repeat || key.length !== 1 || isTyping(target)) return
  if (act(key)) event.preventDefault()
})

// A page that opens consequences is confirmed by one more key.
focusIn(document.querySelector('details[data-key][open]') ?? undefined, 'button')

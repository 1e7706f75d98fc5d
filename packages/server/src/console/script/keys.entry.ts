// Keys for operators who decide about many orders. Each does what a link or a button of the page
// does too, so that the console works without this script: `/` goes to the search, `j` and `k` move
// through the rows, and any other key opens the decision that the page marks with it. Enter confirms.

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, select, textarea')

const focusIn = (part: Element | null | undefined, what: string): boolean => {
  const target = part?.querySelector<HTMLElement>(what)
  target?.focus()
  // The next text replaces the former search.
  if (target instanceof HTMLInputElement) target.select()
  return target != null
}

/** `data-row`: one entry of a list. The first press goes to the first. */
const moveBy = (steps: number): boolean => {
  const rows = [...document.querySelectorAll('[data-row]')]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = Math.min(Math.max(current + steps, 0), rows.length - 1)
  return focusIn(rows[next], 'a')
}

/** Opens the decision with this key and focuses its button. In a list, the row with the focus decides. */
const openDecision = (key: string): boolean => {
  const row = document.activeElement?.closest('[data-row]') ?? document
  const decision = [...row.querySelectorAll<HTMLDetailsElement>('details[data-key]')].find(
    ({ dataset }) => dataset.key === key,
  )
  if (decision !== undefined) decision.open = true
  return focusIn(decision, 'button')
}

const act = (key: string): boolean => {
  if (key === '/') return focusIn(document.body, '[role="search"] input')
  if (key === 'j' || key === 'k') return moveBy(key === 'j' ? 1 : -1)
  return openDecision(key)
}

document.addEventListener('keydown', (event) => {
  const { key, target, altKey, ctrlKey, metaKey, repeat } = event
  if (altKey || ctrlKey || metaKey || repeat || key.length !== 1 || isTyping(target)) return
  if (act(key)) event.preventDefault()
})

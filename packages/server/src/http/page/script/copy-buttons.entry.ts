// A button with `data-copy` copies this text, or the code of its block if the text is empty. It may
// be in a shadow root, and the page may replace it.

/** Buttons that show a result in place of their label. */
const showingResult = new WeakSet<HTMLElement>()

const copyFrom = async (button: HTMLElement): Promise<void> => {
  showingResult.add(button)
  const code = button.closest('.code')?.querySelector('pre')
  const label = button.textContent
  try {
    await navigator.clipboard.writeText(button.dataset.copy || (code?.textContent ?? ''))
    button.textContent = 'Copied'
  } catch {
    // Without https, browsers allow no access to the clipboard.
    if (code) getSelection()?.selectAllChildren(code)
    button.textContent = code ? 'Selected' : 'Not allowed'
  }
  setTimeout(() => {
    button.textContent = label
    showingResult.delete(button)
  }, 2_000)
}

document.addEventListener('click', (event) => {
  const [target] = event.composedPath()
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-copy]') : null
  // A second click would take the result of the first for the label.
  if (button !== null && !showingResult.has(button)) void copyFrom(button)
})

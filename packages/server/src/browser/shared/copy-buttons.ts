// A button with `data-copy` copies this text, or the code of its block if the text is empty. It may be in a shadow root, and the page
// may replace it.

const copyFrom = async (button: HTMLElement): Promise<void> => {
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
  }, 2_000)
}

document.addEventListener('click', (event) => {
  const [target] = event.composedPath()
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-copy]') : null
  // A second click meanwhile would keep the word of the first.
  if (button !== null && !/^(Copied|Selected|Not allowed)$/.test(button.textContent ?? '')) void copyFrom(button)
})

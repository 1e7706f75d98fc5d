// Copies the value of a button with `data-copy`, or the text of the code before it.

const copyFrom = async (button: HTMLElement): Promise<void> => {
  const text = button.dataset.copy || (button.parentElement?.querySelector('pre, code')?.textContent ?? '')
  const label = button.textContent
  button.textContent = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Not allowed',
  )
  setTimeout(() => {
    button.textContent = label
  }, 2_000)
}

// The page may replace its buttons.
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-copy]') : null
  // A second click meanwhile would keep the word of the first.
  if (button !== null && !/^(Copied|Not allowed)$/.test(button.textContent ?? '')) void copyFrom(button)
})

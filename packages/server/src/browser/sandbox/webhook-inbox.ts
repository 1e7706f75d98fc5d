// Shows new webhooks in the inbox as they arrive: it loads the page again, and takes the list that the server has rendered.
// Webhooks that were open stay open.
import '../shared/copy-buttons.ts'
import { readPage } from '../shared/requests.ts'

const list = document.querySelector<HTMLElement>('#list')
const status = document.querySelector('#live')

const refresh = async (): Promise<void> => {
  const fresh = (await readPage())?.querySelector('#list')
  if (!fresh || list === null) return
  for (const opened of list.querySelectorAll('details[open]')) {
    const same = fresh.querySelector(`#${opened.id}`)
    if (same instanceof HTMLElement) same.setAttribute('open', '')
  }
  const focused = document.activeElement?.closest('details')?.id
  list.replaceChildren(...fresh.childNodes)
  if (focused !== undefined) list.querySelector<HTMLElement>(`#${focused} summary`)?.focus()
  if (status !== null) status.textContent = 'A new request has come. The last 200 are shown, newest first.'
}

if (list !== null) {
  const url = new URL(`${location.pathname}/events${location.search}`, location.href)
  url.searchParams.set('after', list.dataset.last ?? '0')
  let isWaiting = false
  new EventSource(url).addEventListener('request', () => {
    if (isWaiting) return
    isWaiting = true
    // Webhooks that arrive together are shown together.
    setTimeout(() => {
      isWaiting = false
      void refresh()
    }, 100)
  })
}

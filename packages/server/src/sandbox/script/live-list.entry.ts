// Shows new SMS and new webhooks on the sandbox's pages as they arrive: it loads the page again,
// and takes the list that the server has rendered. Webhooks that were open stay open.
import '../../http/page/script/copy-buttons.entry.ts'
import { readPage } from '../../http/page/script/requests.ts'

const POLL_MILLIS = 2_000
const messages = document.querySelector('#messages')
const webhooks = document.querySelector<HTMLElement>('#list')

const refreshMessages = async (list: Element): Promise<void> => {
  if (document.hidden) return
  const fresh = (await readPage())?.querySelector('#messages')
  if (!fresh || fresh.querySelectorAll('li').length === list.querySelectorAll('li').length) return
  list.replaceChildren(...fresh.childNodes)
}

const refreshWebhooks = async (list: Element): Promise<void> => {
  const fresh = (await readPage())?.querySelector('#list')
  if (!fresh) return
  for (const opened of list.querySelectorAll('details[open]'))
    fresh.querySelector(`#${opened.id}`)?.setAttribute('open', '')
  const focused = document.activeElement?.closest('details')?.id
  list.replaceChildren(...fresh.childNodes)
  if (focused !== undefined) list.querySelector<HTMLElement>(`#${focused} summary`)?.focus()
  const status = document.querySelector('#live')
  if (status !== null)
    status.textContent = 'A new request has come. The last 200 are shown, newest first.'
}

if (messages !== null) setInterval(() => void refreshMessages(messages), POLL_MILLIS)
if (webhooks !== null) {
  const url = new URL(`${location.pathname}/events${location.search}`, location.href)
  url.searchParams.set('after', webhooks.dataset.last ?? '0')
  let isWaiting = false
  new EventSource(url).addEventListener('request', () => {
    if (isWaiting) return
    isWaiting = true
    // Webhooks that arrive together are shown together.
    setTimeout(() => {
      isWaiting = false
      void refreshWebhooks(webhooks)
    }, 100)
  })
}

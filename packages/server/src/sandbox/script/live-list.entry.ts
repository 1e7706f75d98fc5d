// Shows new SMS and new webhooks on the sandbox's pages as they come: it loads the page again, and
// takes the list that the server has rendered. Webhooks that were open stay open.

import { readPage } from '@plazo/server/internal/browser'
import '@plazo/server/internal/copy-buttons'

const POLL_MILLIS = 2_000
const list = document.querySelector('#messages, #webhooks')

const refresh = async (shown: Element): Promise<void> => {
  if (document.hidden) return
  const fresh = (await readPage())?.querySelector(`#${shown.id}`)
  if (!fresh || fresh.textContent === shown.textContent) return
  const find = (id: string) => fresh.querySelector(`#${CSS.escape(id)}`)
  for (const opened of shown.querySelectorAll('details[open]'))
    find(opened.id)?.setAttribute('open', '')
  const focused = document.activeElement?.closest('details')?.id
  shown.replaceChildren(...fresh.childNodes)
  if (focused !== undefined)
    shown.querySelector<HTMLElement>(`#${CSS.escape(focused)} summary`)?.focus()
}

if (list !== null) setInterval(() => void refresh(list), POLL_MILLIS)

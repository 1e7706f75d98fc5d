// Shows new SMS on the sandbox's page as they arrive: it loads the page again, and takes the list that the server has rendered.
import '../shared/copy-buttons.ts'
import { readPage } from '../shared/requests.ts'

const EVERY_MILLIS = 2_000
const list = document.querySelector('#messages')

const refresh = async (): Promise<void> => {
  if (list === null || document.hidden) return
  const fresh = (await readPage())?.querySelector('#messages')
  if (!fresh || fresh.querySelectorAll('li').length === list.querySelectorAll('li').length) return
  list.replaceChildren(...fresh.childNodes)
}

setInterval(() => void refresh(), EVERY_MILLIS)

// The sandbox's page of SMS shows new ones as they come. The server renders them: this takes the list of the page as it is now.
import '../shared/copy-buttons.ts'

const EVERY_MILLIS = 2_000
const list = document.querySelector('#messages')

const refresh = async (): Promise<void> => {
  if (list === null || document.hidden) return
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(() => null)
  if (!answer?.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('#messages')
  if (fresh === null || fresh.querySelectorAll('li').length === list.querySelectorAll('li').length) return
  list.replaceChildren(...fresh.childNodes)
}

setInterval(() => void refresh(), EVERY_MILLIS)

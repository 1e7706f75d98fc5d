// The answer of <plazo-machine> to "How do I get here?": the shortest way and the shopper who takes
// it. Where the page names a place for runs, a button runs the way: the server acts as the shopper,
// and this shows each step as it is done.

import type { Guide, StateCard } from '../../api/machine/machine-data.ts'
import type { StateRunProgress } from '../../api/machine/run-progress.ts'
import { make, makeButton } from '../../http/page/script/dom.ts'

type GuideOptions = {
  /** The URL to which a run is posted; null if this page runs none. */
  readonly runs: string | null
  readonly onPlaced: (orderRef: string) => void
  /** `event`: as in `StateRunProgress`. */
  readonly onReached: (orderRef: string, event: number | null) => void
}

const NO_ANSWER = 'The server does not answer. Try again.'

/**
 * Calls `onProgress` for each line of the answer. Returns null, or a message if the answer is
 * missing or incomplete.
 */
const postRun = async (
  url: string,
  state: string,
  onProgress: (progress: StateRunProgress) => void,
): Promise<string | null> => {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ state }),
    })
    if (!answer.ok || answer.body === null) return String((await answer.json()).detail ?? NO_ANSWER)
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    let isEnded = false
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = `${rest}${part.value}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.filter((each) => each !== '')) {
        const progress = JSON.parse(line) as StateRunProgress
        isEnded = progress.status !== 'running'
        onProgress(progress)
      }
    }
    return isEnded ? null : NO_ANSWER
  } catch {
    return NO_ANSWER
  }
}

const runControls = (
  { id, title }: StateCard,
  items: readonly HTMLElement[],
  options: GuideOptions,
) => {
  const status = make('p', { role: 'status' })
  let isRunning = false

  const show = ({ status: phase, done, event, detail }: StateRunProgress): void => {
    items.forEach((item, index) => {
      item.className = index < done ? 'done' : ''
    })
    if (phase !== 'reached') items[done]?.classList.add(phase === 'failed' ? 'failed' : 'now')
    if (phase === 'failed') status.textContent = detail
    if (phase === 'running') status.textContent = `${done} of ${items.length} steps are done.`
    if (phase === 'reached')
      status.textContent =
        event === null
          ? `The order is in ${title}.`
          : `Event ${event} led to ${title}. The order does not stay there.`
    status.classList.toggle('wrong', phase === 'failed')
  }

  const run = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    button.setAttribute('aria-busy', 'true')
    let orderRef: string | null = null
    const failure = await postRun(options.runs ?? '', id, (progress) => {
      show(progress)
      if (progress.order_ref !== null && orderRef === null) options.onPlaced(progress.order_ref)
      orderRef = progress.order_ref
      if (orderRef !== null && progress.status === 'reached')
        options.onReached(orderRef, progress.event)
    })
    if (failure !== null) {
      status.textContent = failure
      status.classList.add('wrong')
    }
    button.removeAttribute('aria-busy')
    isRunning = false
  }

  const button = makeButton('Run it', () => void run(), { class: 'main' })
  return { button, status }
}

const shopperOf = ({ trigger, steps }: Guide): HTMLElement => {
  if (trigger === null) return make('p', {}, 'No shopper takes this way: a provider must fail.')
  if (steps.length === 0) return make('p', {}, 'A new order is here.')
  if (trigger === '') return make('p', {}, 'Any shopper takes this way.')
  return make('p', {}, ['The shopper’s surnames: ', make('code', {}, trigger)])
}

/** How an order gets to a state: the shortest way, and the shopper who takes it. */
export const makeGuide = (card: StateCard, options: GuideOptions): HTMLElement => {
  const { title, guide } = card
  const header = make('header', {}, make('h2', {}, `How do I get to ${title}?`))
  const section = make(
    'section',
    { class: 'guide', 'aria-label': `How do I get to ${title}?` },
    header,
  )
  if (guide === null) {
    section.append(make('p', {}, 'Select one of the states inside it.'))
    return section
  }
  const items = guide.steps.map(({ words }) => make('li', {}, words))
  section.append(shopperOf(guide))
  if (items.length > 0) section.append(make('ol', {}, items))
  if (options.runs === null || guide.trigger === null) return section
  const { button, status } = runControls(card, items, options)
  header.append(button)
  header.after(status)
  return section
}

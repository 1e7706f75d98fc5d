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
  { runs, onPlaced, onReached }: GuideOptions,
) => {
  const status = make('p', { role: 'status' })
  const say = (text: string, isWrong = false): void => {
    status.textContent = text
    status.classList.toggle('wrong', isWrong)
  }

  const show = ({ status: phase, done, event, detail }: StateRunProgress): void => {
    items.forEach((item, index) => {
      item.className = index < done ? 'done' : ''
    })
    if (phase !== 'reached') items[done]?.classList.add(phase === 'failed' ? 'failed' : 'now')
    const reached =
      event === null
        ? `The order is in ${title}.`
        : `Event ${event} led to ${title}. The order does not stay there.`
    const texts = {
      running: `${done} of ${items.length} steps are done.`,
      reached,
      failed: detail ?? '',
    }
    say(texts[phase], phase === 'failed')
  }

  const run = async (): Promise<void> => {
    if (button.hasAttribute('aria-busy')) return
    button.setAttribute('aria-busy', 'true')
    let isPlaced = false
    const failure = await postRun(runs ?? '', id, (progress) => {
      show(progress)
      const { order_ref: order, status: phase, event } = progress
      if (order === null) return
      if (!isPlaced) onPlaced(order)
      isPlaced = true
      if (phase === 'reached') onReached(order, event)
    })
    if (failure !== null) say(failure, true)
    button.removeAttribute('aria-busy')
  }

  const button = makeButton('Run it', () => void run(), { class: 'main' })
  return { button, status }
}

const shopperOf = ({ trigger, steps }: Guide): HTMLElement => {
  if (trigger === null) return make('p', 'No shopper takes this way: a provider must fail.')
  if (steps.length === 0) return make('p', 'A new order is here.')
  if (trigger === '') return make('p', 'Any shopper takes this way.')
  return make('p', 'The shopper’s surnames: ', make('code', trigger))
}

/** How an order gets to a state: the shortest way, and the shopper who takes it. */
export const makeGuide = (card: StateCard, options: GuideOptions): HTMLElement => {
  const { guide } = card
  const question = `How do I get to ${card.title}?`
  const items = (guide?.steps ?? []).map(({ words }) => make('li', words))
  const canRun = options.runs !== null && typeof guide?.trigger === 'string'
  const controls = canRun ? runControls(card, items, options) : null
  return make(
    'section.guide',
    { 'aria-label': question },
    make('header', make('h2', question), controls?.button),
    controls?.status,
    guide === null ? make('p', 'Select one of the states inside it.') : shopperOf(guide),
    items.length > 0 && make('ol', items),
  )
}

// The answer of <plazo-machine> to "How do I get here?": the shortest way and the shopper who takes
// it. Where the page names a place for runs, a button runs the way: the server acts as the shopper,
// and this shows each step as it is done.

import type { Guide, StateCard } from '../../api/machine/machine-data.ts'
import type { StateRunProgress } from '../../api/machine/run-progress.ts'
import { make, makeButton } from '../../http/page/script/dom.ts'

const runControls = (
  { id, title }: StateCard,
  items: readonly HTMLElement[],
  runs: string,
  onProgress: (progress: StateRunProgress) => void,
) => {
  const text = make('p', { role: 'status' })

  const show = (progress: StateRunProgress): void => {
    const { status, done, event, detail } = progress
    items.forEach((item, index) => {
      item.className = index < done ? 'done' : ''
    })
    if (status !== 'reached') items[done]?.classList.add(status === 'failed' ? 'failed' : 'now')
    const reached =
      event === null
        ? `The order is in ${title}.`
        : `Event ${event} led to ${title}. The order does not stay there.`
    const texts = {
      running: `${done} of ${items.length} steps are done.`,
      reached,
      failed: detail,
    }
    text.textContent = texts[status]
    text.className = status === 'failed' ? 'wrong' : ''
    onProgress(progress)
  }

  const run = async (): Promise<void> => {
    if (button.hasAttribute('aria-busy')) return
    button.setAttribute('aria-busy', 'true')
    let detail = 'The server does not answer. Try again.'
    let last: StateRunProgress = {
      status: 'running',
      order_ref: null,
      done: 0,
      event: null,
      detail: null,
    }
    try {
      const answer = await fetch(`${runs}runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ state: id }),
      })
      if (!answer.ok || answer.body === null) detail = (await answer.json()).detail ?? detail
      else {
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
        let rest = ''
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          const lines = `${rest}${part.value}`.split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines.filter((each) => each !== '')) {
            last = JSON.parse(line)
            show(last)
          }
        }
      }
    } catch {}
    if (last.status === 'running') show({ ...last, status: 'failed', detail })
    button.removeAttribute('aria-busy')
  }

  const button = makeButton('Run it', () => void run(), { class: 'main' })
  return { button, text }
}

const shopperOf = ({ trigger, steps }: Guide): HTMLElement => {
  if (trigger === null) return make('p', 'No shopper takes this way: a provider must fail.')
  if (steps.length === 0) return make('p', 'A new order is here.')
  if (trigger === '') return make('p', 'Any shopper takes this way.')
  return make('p', 'The shopper’s surnames: ', make('code', trigger))
}

/**
 * How an order gets to a state: the shortest way, and the shopper who takes it. `runs`: as the
 * attribute of the element.
 */
export const makeGuide = (
  card: StateCard,
  runs: string | null,
  onProgress: (progress: StateRunProgress) => void,
): HTMLElement => {
  const { guide } = card
  const question = `How do I get to ${card.title}?`
  const items = (guide?.steps ?? []).map(({ words }) => make('li', words))
  const canRun = runs !== null && typeof guide?.trigger === 'string'
  const controls = canRun ? runControls(card, items, runs, onProgress) : null
  return make(
    'section.guide',
    { 'aria-label': question },
    make('header', make('h2', question), controls?.button),
    controls?.text,
    guide === null ? make('p', 'Select one of the states inside it.') : shopperOf(guide),
    items.length > 0 && make('ol', items),
  )
}

// The scrubber of <plazo-machine>: it moves through an order's history event by event, and says
// what each event did. It marks failures.

import type { PathLine } from '../../api/machine/order-path.ts'
import { make, makeButton } from '../../http/page/script/dom.ts'
import { readableInstant } from '../../http/page/script/formats.ts'
import { effectWords, eventNames, eventNote, eventWords } from '../../http/page/script/words.ts'

/** A line of a history, with its time. */
export type Line = PathLine & { readonly at?: string }

type ScrubberState = {
  readonly causes: readonly string[]
  readonly isFollowing: boolean
}

const FAILURE = /\.(?:failed|unavailable|exhausted|erred|conflicted|rejected|refused)$/

/**
 * Where the thumb's centre is after so many lines: it stays half a thumb away from the ends of the
 * track.
 */
const placeOf = (count: number, total: number): string =>
  `calc(.5rem + (100% - 1rem) * ${count / total})`

const marksOf = (lines: readonly Line[]): readonly HTMLElement[] =>
  lines.flatMap(({ event }, index) => {
    if (!FAILURE.test(event)) return []
    const mark = make('i')
    mark.style.insetInlineStart = placeOf(index + 1, lines.length)
    return [mark]
  })

/** `seek`: shows so many lines, or follows the newest. */
export const makeScrubber = (seek: (count: number, isFollowing?: boolean) => void) => {
  const range = make('input', {
    type: 'range',
    min: '0',
    step: '1',
    'aria-label': 'Event of the order',
  })
  range.addEventListener('input', () => seek(Number(range.value)))
  const marks = make('span', { 'aria-hidden': 'true' })
  const back = makeButton('‹', () => seek(Number(range.value) - 1), {
    'aria-label': 'Previous event',
  })
  const forward = makeButton('›', () => seek(Number(range.value) + 1), {
    'aria-label': 'Next event',
  })
  const where = make('span', { class: 'where', role: 'status' })
  const followButton = makeButton('Follow', () => seek(Number(range.max), true))
  const track = make('div', { class: 'track' }, [range, marks])
  const bar = make('div', { class: 'bar' }, [back, track, forward, where, followButton])
  const text = make('p', { class: 'line' })

  /** `count`: how many of the lines are shown. */
  const draw = (
    lines: readonly Line[],
    count: number,
    { causes, isFollowing }: ScrubberState,
  ): void => {
    const total = lines.length
    const line = lines[count - 1]
    bar.hidden = total === 0
    text.hidden = total === 0
    range.max = String(total)
    range.value = String(count)
    const place = `event ${count} of ${total}`
    range.setAttribute(
      'aria-valuetext',
      line === undefined ? place : `${place}: ${eventWords(line)}`,
    )
    back.disabled = count === 0
    forward.disabled = count === total
    where.textContent = isFollowing ? `${place} · following` : place
    followButton.hidden = isFollowing
    marks.replaceChildren(...marksOf(lines))
    const before = lines.slice(0, count).map(({ event }) => event)
    const effects = causes
      .map((cause) => effectWords(cause, before))
      .filter((words) => words !== null)
    const facts =
      line === undefined
        ? []
        : [
            eventNote(line),
            effects.length > 0 && `then ${effects.join(', ')}`,
            line.at && readableInstant(line.at),
          ].filter((fact) => fact !== '' && fact !== false && fact !== undefined)
    text.replaceChildren(
      make('strong', {}, line === undefined ? 'Before the order was placed' : eventWords(line)),
      ...facts.map((fact) => ` · ${fact}`),
      ...(line === undefined ? [] : [' ', make('span', { class: 'names' }, eventNames(line))]),
    )
  }

  return { elements: [bar, text], draw }
}

// The scrubber of <plazo-machine>: it moves through an order's history event by event, and says
// what each event did. It marks failures, and the events that a fork has copied from its original.

import { make, makeButton } from '../../http/page/script/dom.ts'
import { readableInstant } from '../../http/page/script/formats.ts'
import { effectWords, eventNames, eventNote, eventWords } from '../../http/page/script/words.ts'
import type { PathLine } from '../order-path.ts'

/** A line of a history, with its time. */
export type Line = PathLine & { readonly at?: string }

type ScrubberState = {
  readonly causes: readonly string[]
  readonly isFollowing: boolean
  readonly mayFork: boolean
}

const FAILURE = /\.(?:failed|unavailable|exhausted|erred|conflicted|rejected|refused)$/

/**
 * The number of lines that a fork has copied; 0 for any other order. A fork of a fork has copied
 * the first fork's line too.
 */
export const countCopied = (events: readonly string[]): number =>
  Math.max(0, events.lastIndexOf('order.forked'))

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

/**
 * `seek`: shows so many lines, or follows the newest. `fork`: forks the order at the line that is
 * shown.
 */
export const makeScrubber = (
  seek: (count: number, isFollowing?: boolean) => void,
  fork: () => void,
) => {
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
  const forkButton = makeButton('Fork here', fork)
  const copied = make('span', { class: 'copied', 'aria-hidden': 'true' }, 'copied')
  const track = make('div', { class: 'track' }, [range, marks, copied])
  const bar = make('div', { class: 'bar' }, [back, track, forward, where, followButton, forkButton])
  const text = make('p', { class: 'line' })

  /** `count`: how many of the lines are shown. */
  const draw = (
    lines: readonly Line[],
    count: number,
    { causes, isFollowing, mayFork }: ScrubberState,
  ): void => {
    const total = lines.length
    const line = lines[count - 1]
    bar.hidden = total === 0
    text.hidden = total === 0
    range.max = String(total)
    range.value = String(count)
    const copiedCount = countCopied(lines.map(({ event }) => event))
    const isCopied = count > 0 && count <= copiedCount
    const place = `event ${count} of ${total}${isCopied ? ' · copied' : ''}`
    range.setAttribute(
      'aria-valuetext',
      line === undefined ? place : `${place}: ${eventWords(line)}`,
    )
    back.disabled = count === 0
    forward.disabled = count === total
    where.textContent = isFollowing ? `${place} · following` : place
    followButton.hidden = isFollowing
    forkButton.hidden = !mayFork
    marks.replaceChildren(...marksOf(lines))
    copied.hidden = copiedCount === 0
    copied.style.inlineSize = placeOf(copiedCount, total || 1)
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

// The scrubber of <plazo-machine>: it moves through an order's history event by event, and explains
// each event.

import type { PathLine } from '../../api/machine/order-path.ts'
import { make, makeButton } from '../../http/page/script/dom.ts'
import { readableInstant } from '../../http/page/script/formats.ts'
import { effectWords, eventNames, eventNote, eventWords } from '../../http/page/script/words.ts'

/** A line of a history, with its time. */
export type Line = PathLine & { readonly at?: string }

/** What a line says and did. `before`: the events up to it. */
const textOf = (
  line: Line | undefined,
  causes: readonly string[],
  before: readonly string[],
): readonly (Node | string)[] => {
  if (line === undefined) return [make('strong', 'Before the order was placed')]
  const effects = causes.flatMap((cause) => effectWords(cause, before) ?? [])
  const facts = [eventNote(line), ...effects, line.at && readableInstant(line.at)]
  return [
    make('strong', eventWords(line)),
    ...facts.flatMap((fact) => (fact ? ` · ${fact}` : [])),
    ' ',
    make('span.names', eventNames(line)),
  ]
}

/** `seek`: shows so many lines; null follows the newest. */
export const makeScrubber = (seek: (count: number | null) => void) => {
  const range = make('input', {
    type: 'range',
    'aria-label': 'Event of the order',
    oninput: () => seek(Number(range.value)),
  })
  const step = (sign: string, by: number, name: string) =>
    makeButton(sign, () => seek(Number(range.value) + by), { 'aria-label': name })
  const back = step('‹', -1, 'Previous event')
  const forward = step('›', 1, 'Next event')
  const where = make('span.where', { role: 'status' })
  const followButton = makeButton('Follow', () => seek(null))
  const bar = make('div.bar', back, range, forward, where, followButton)
  const text = make('p.line')
  const element = make('div', bar, text)

  /** `count`: how many of the lines are shown. */
  const draw = (
    lines: readonly Line[],
    count: number,
    causes: readonly string[],
    isFollowing: boolean,
  ): void => {
    const total = lines.length
    const line = lines[count - 1]
    element.hidden = total === 0
    range.max = String(total)
    range.value = String(count)
    const place = `event ${count} of ${total}`
    range.setAttribute('aria-valuetext', line ? `${place}: ${eventWords(line)}` : place)
    back.disabled = count === 0
    forward.disabled = count === total
    where.textContent = isFollowing ? `${place} · following` : place
    followButton.hidden = isFollowing
    const before = lines.slice(0, count).map(({ event }) => event)
    text.replaceChildren(...textOf(line, causes, before))
  }

  return { element, draw }
}

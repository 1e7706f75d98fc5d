// The entries of <plazo-timeline>: a line each, with bodies that can be opened and copied. No text
// becomes markup.
import {
  countdown,
  icon,
  make,
  otherDay,
  VALID_SIGNATURE_TEXT,
} from '@plazo/server/internal/browser'
import '@plazo/server/internal/copy-buttons'
import type { TimelineEntry, UpcomingEntry } from '../../protocol.ts'

const ICONS: { readonly [type in TimelineEntry['type'] | 'later']: string } = {
  request: 'M4 9h13l-4-4M20 15H7l4 4',
  webhook: 'M5 12h14M13 6l6 6-6 6',
  provider: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  sms: 'M4 5h16v11H10l-5 4v-4H4z',
  step: 'M12 8a4 4 0 100 8 4 4 0 000-8',
  later: 'M12 4a8 8 0 100 16 8 8 0 000-16M12 8v4l3 2',
}

/**
 * The time of an entry, below its day if that is not the day of `now`. Call it again when the time
 * has moved.
 */
export const showTime = (time: HTMLTimeElement, now: string): void => {
  const at = time.dateTime
  const day = otherDay(at, now)
  time.replaceChildren(
    ...(day === '' ? [] : [make('span', { class: 'day' }, day), ' ']),
    at.slice(11, 19),
  )
}

/** The event of a step, in the interface’s names. */
const eventOf = ({ names }: TimelineEntry): string => names?.split(' ')[0] ?? ''

const makePart = ({ label, content }: TimelineEntry['details'][number]): HTMLElement =>
  label === 'Signature'
    ? make(
        'p',
        { class: content === VALID_SIGNATURE_TEXT ? 'valid' : 'wrong' },
        `Signature ${content}`,
      )
    : make('div', { class: 'part code' }, [
        make('div', { class: 'part-head' }, [
          label,
          make('button', { type: 'button', 'data-copy': '' }, 'Copy'),
        ]),
        make('pre', { tabindex: '0' }, content),
      ])

/** A URL breaks after its slashes, before any of its words does. */
const breakable = (text: string): readonly (Node | string)[] =>
  text.split(/(?<=\w\/)/).flatMap((piece) => [piece, make('wbr')])

/** `select`: called when the reader selects the entry. */
export const makeEntry = (entry: TimelineEntry, select: () => void): HTMLElement => {
  const { at, type, tone, title, text, names, badge, details } = entry
  const heading = [
    make('span', { class: 'title' }, title),
    badge === null ? null : ' ',
    badge === null ? null : make('span', { class: 'badge' }, badge),
    text === '' ? null : make('span', { class: 'text' }, breakable(text)),
    names === null ? null : make('span', { class: 'names' }, names),
  ]
  const hasDetails = details.length > 0
  const control = hasDetails
    ? make('summary', { 'data-control': '' }, heading)
    : make('button', { type: 'button', class: 'seek', 'data-control': '' }, heading)
  control.addEventListener('click', select)
  return make('li', { class: `entry ${type} ${tone}` }, [
    make('time', { datetime: at }),
    make(
      'span',
      { class: 'mark' },
      icon(eventOf(entry) === 'timer.fired' ? ICONS.later : ICONS[type]),
    ),
    make(
      'div',
      {},
      hasDetails ? make('details', {}, [control, ...details.map(makePart)]) : control,
    ),
  ])
}

/** `now`: domain time, epoch milliseconds. */
export const makeUpcoming = ({ at, title, text }: UpcomingEntry, now: number): HTMLElement => {
  const millisLeft = Date.parse(at) - now
  const [timeLeft = '', ...attempt] = text.split(' · ')
  const isCountdown = timeLeft === 'now' || timeLeft.startsWith('in ')
  const when = isCountdown ? (millisLeft <= 0 ? 'now' : `in ${countdown(millisLeft)}`) : timeLeft
  const time = make('time', { datetime: at })
  showTime(time, new Date(now).toISOString())
  return make('li', { class: 'entry later' }, [
    time,
    make('span', { class: 'mark' }, icon(ICONS.later)),
    make('div', {}, [
      make('span', { class: 'title' }, title),
      make('p', { class: 'text' }, [when, ...attempt].join(' · ')),
    ]),
  ])
}

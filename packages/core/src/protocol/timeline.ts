// Developers see in the sandbox what happened to an order, and what will happen next: the front page and their own tools read the
// same answer. Contract §8, Timeline.
import * as t from 'io-ts'
import { Instant } from './instant.ts'
import { description } from './json-schema.ts'
import { OrderView } from './order-view.ts'
import { Count, exactObject, namedObject, orNull } from './scalars.ts'

const TimelineEntry = namedObject('TimelineEntry', {
  id: description('Unique in the timeline of an order, and the same whenever it is read.', t.string),
  at: Instant,
  type: t.keyof({ request: null, webhook: null, provider: null, sms: null, step: null }),
  title: t.string,
  text: t.string,
  badge: description('A status, or a word in its place.', orNull(t.string)),
  tone: t.keyof({ good: null, bad: null, plain: null }),
  details: description(
    'The parts of a message: headers, body, answer.',
    t.readonlyArray(exactObject({ label: t.string, content: t.string })),
  ),
  seq: description('The number of the line in the order’s history, for an entry of type step.', orNull(Count)),
})
export type TimelineEntry = t.TypeOf<typeof TimelineEntry>

const UpcomingEntry = namedObject('UpcomingEntry', {
  at: Instant,
  title: t.string,
  text: t.string,
})
export type UpcomingEntry = t.TypeOf<typeof UpcomingEntry>

export const Timeline = namedObject('Timeline', {
  now: description('The service’s time.', Instant),
  order: OrderView,
  entries: description('Oldest first.', t.readonlyArray(TimelineEntry)),
  upcoming: description('The next one first.', t.readonlyArray(UpcomingEntry)),
})
export type Timeline = t.TypeOf<typeof Timeline>

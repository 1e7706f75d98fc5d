// A merchant of the sandbox chooses here which webhooks go wrong, and how. Contract §8, Fault drills.
import * as t from 'io-ts'
import { ExamplePayload } from './delivery-view.ts'
import { FaultName } from './fault-names.ts'
import { Instant, InstantInput } from './instant.ts'
import { description } from './json-schema.ts'
import { absentOr, Count, namedObject, objectOf, orNull, refined, Text, textOf } from './scalars.ts'

const DRILL_COUNT_MAX = 100
const DRILL_SECONDS_MAX = 25

const wholeUpTo = (highest: number): t.Type<number> =>
  refined(
    `a whole number from 1 to ${highest}`,
    { type: 'integer', minimum: 1, maximum: highest },
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= highest,
  )

const Share = refined(
  'a number over 0, at most 1',
  { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  (value): value is number => typeof value === 'number' && value > 0 && value <= 1,
)

const Seed = textOf('a text of at most 100 characters', '^[\\s\\S]{0,100}$', (value) => value.length <= 100)

/** `POST /sandbox/drills`. */
export const DrillPayload = objectOf(
  { fault: FaultName },
  {
    event: description('Only deliveries of this event. Default: any event.', absentOr(ExamplePayload.props.event)),
    order_ref: description('Only deliveries of this order. Default: any order.', absentOr(Text)),
    count: description('The number of deliveries to change. Default: 1.', absentOr(wholeUpTo(DRILL_COUNT_MAX))),
    share: description('In place of count: this share of all attempts.', absentOr(Share)),
    seed: description('The same seed chooses the same attempts of a delivery.', absentOr(Seed)),
    seconds: description('How long delay, reorder and slow take.', absentOr(wholeUpTo(DRILL_SECONDS_MAX))),
    until: description('An instant of real time, at most a day ahead. Default: in an hour.', absentOr(InstantInput)),
  },
)

export const Drill = namedObject('Drill', {
  id: t.string,
  fault: FaultName,
  event: orNull(Text),
  order_ref: orNull(Text),
  count: description('Null: share decides.', orNull(Count)),
  touched: description('The number of deliveries that it has changed.', Count),
  share: orNull(Share),
  seed: orNull(Text),
  seconds: Count,
  until: Instant,
})
export type Drill = t.TypeOf<typeof Drill>

export const Drills = namedObject('Drills', {
  drills: description('The drills that are set, oldest first.', t.readonlyArray(Drill)),
})
export type Drills = t.TypeOf<typeof Drills>

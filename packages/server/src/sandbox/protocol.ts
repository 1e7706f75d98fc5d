// Developers read and control the sandbox here: triggers, messages, timelines, the clock and demo
// orders. Sandbox rules, Triggers, Codes, Timeline, Clock, Demo and Runs.
import {
  absentOr,
  Count,
  description,
  exactObject,
  Instant,
  listOf,
  NonEmptyText,
  namedObject,
  OrderView,
  objectOf,
  oneOf,
  optional,
  orNull,
  PositiveMinorAmount,
  refined,
  SessionStatus,
  schemaName,
  Text,
  WebUrl,
} from '@plazo/core/protocol'
import * as t from 'io-ts'

export const TriggerCatalogue = namedObject('Triggers', {
  triggers: t.readonlyArray(
    exactObject({
      surnames: description('In upper or lower case.', t.string),
      note: t.string,
      path: description(
        'The actions of the wait endpoint, from identification to the end.',
        t.readonlyArray(t.string),
      ),
    }),
  ),
  otp: exactObject({ code: t.string, note: t.string }),
  cards: t.readonlyArray(
    exactObject({ number: t.string, does: t.string, expiry: t.string, cvc: t.string }),
  ),
})
export type TriggerCatalogue = t.TypeOf<typeof TriggerCatalogue>

export const SmsSent = namedObject('SmsSent', {
  at: Instant,
  to: t.string,
  text: t.string,
  code: t.string,
})
export type SmsSent = t.TypeOf<typeof SmsSent>

/**
 * What happened to an order and what will happen next: the front page and developers' own tools
 * read the same.
 */
const TimelineEntry = namedObject('TimelineEntry', {
  id: description(
    'Unique in the timeline of an order, and the same whenever it is read.',
    t.string,
  ),
  at: Instant,
  type: oneOf('request', 'webhook', 'provider', 'sms', 'step'),
  title: t.string,
  text: t.string,
  names: description(
    'An entry of type step in the names of the interface: the event, its detail, and the states before and after it.',
    orNull(t.string),
  ),
  badge: description('A status, or a word in its place.', orNull(t.string)),
  tone: oneOf('good', 'bad', 'plain'),
  details: description(
    'The parts of a message: headers, body, answer.',
    t.readonlyArray(exactObject({ label: t.string, content: t.string })),
  ),
  seq: description(
    'The number of the line in the order’s history, for an entry of type step.',
    orNull(Count),
  ),
})
export type TimelineEntry = t.TypeOf<typeof TimelineEntry>

const UpcomingEntry = namedObject('UpcomingEntry', { at: Instant, title: t.string, text: t.string })
export type UpcomingEntry = t.TypeOf<typeof UpcomingEntry>

export const Timeline = namedObject('Timeline', {
  now: description('The service’s time.', Instant),
  order: OrderView,
  entries: description('Oldest first.', t.readonlyArray(TimelineEntry)),
  upcoming: description('The next one first.', t.readonlyArray(UpcomingEntry)),
})
export type Timeline = t.TypeOf<typeof Timeline>

export const ClockView = t.intersection([
  exactObject({ now: Instant }),
  t.partial({
    moving: description(
      'Absent unless the clock moves now: where to, and how many jobs have run so far.',
      exactObject({ to: Instant, fired: Count }),
    ),
  }),
])
export type ClockView = t.TypeOf<typeof ClockView>

/** `POST /sandbox/clock/advance`. */
export const AdvancePayload = t.type({
  seconds: refined(
    'a number, 0 or more',
    { type: 'number', minimum: 0 },
    (value): value is number => typeof value === 'number' && value >= 0,
  ),
})

export const Advanced = namedObject('Advanced', {
  now: Instant,
  fired: description(
    'The jobs that became due, in order.',
    t.readonlyArray(exactObject({ at: Instant, order_ref: t.string, what: t.string })),
  ),
})
export type Advanced = t.TypeOf<typeof Advanced>

/** `POST /sandbox/demo/orders`. */
export const DemoOrderPayload = schemaName(
  'DemoOrder',
  objectOf({
    product: description('The code of a product: i1, pp3, sp1 or fp1.', NonEmptyText),
    language: description('The shopper’s language: en or es.', absentOr(NonEmptyText)),
    items: description(
      'The cart. Default: running shoes and a jacket.',
      absentOr(
        listOf(
          'an array',
          t.type({ name: Text, total_with_tax: PositiveMinorAmount }, 'an object'),
        ),
      ),
    ),
    shop: description(
      'The URLs for the IPN and the events. Default: the demo merchant’s own receivers.',
      absentOr(objectOf({ notify_url: WebUrl, events_url: WebUrl })),
    ),
  }),
)
export type DemoOrderPayload = t.TypeOf<typeof DemoOrderPayload>

export const DemoOrderPlaced = exactObject({ order_ref: t.string })

/** `POST /sandbox/demo/runs`. */
export const StateRunPayload = t.type({
  state: description('The id of a state, for example checkout.open.reviewing.', NonEmptyText),
})

/** The data of the event `demo` of `GET /sandbox/demo/events`. */
export type DemoState = {
  /** Seconds between the clock of this computer and the sandbox's. */
  readonly ahead: number
  readonly moving: ClockView['moving']
  readonly next_due_at: string | null
  /** Grows with each request and each answer of a provider. */
  readonly recorded: number
  /** The newest first. */
  readonly orders: readonly OrderView[]
  /** The next one first. `at`: null for now. */
  readonly upcoming: readonly (Pick<UpcomingEntry, 'title'> & {
    readonly order_ref: string
    readonly at: string | null
  })[]
  /** The newest first. */
  readonly messages: readonly (SmsSent & { readonly order_ref: string })[]
}

export const CardForm = schemaName(
  'CardForm',
  objectOf({
    number: description('13 to 19 digits.', optional(Text)),
    expiry: description('MM/YY, this month or later.', optional(Text)),
    cvc: description('Three or four digits.', optional(Text)),
    save: description('on saves the card for this shopper’s later orders.', optional(Text)),
  }),
)

export const SavedCardForm = schemaName(
  'SavedCardForm',
  objectOf({ cvc: description('Three or four digits.', optional(Text)) }),
)

export const ChallengeForm = t.type({ status: oneOf('success', 'failure') })

export const SessionForm = t.type({ status: SessionStatus })
export const SessionView = exactObject({ status: SessionStatus })

/** The answer to a post to the card form. The form passes it on to the page around it. */
export const cardMessage = (service: string) =>
  schemaName(
    'CardMessage',
    t.union([
      exactObject({ action: t.literal(`${service}.payment_successful`) }),
      exactObject({ action: t.literal(`${service}.payment_failed`), error: t.string }),
      exactObject({
        action: t.literal(`${service}.3ds_authentication`),
        src: description('The bank’s page. Post status success or failure to it.', t.string),
      }),
      exactObject({ action: t.literal(`${service}.invalid_form`) }),
    ]),
  )
export type CardMessage = t.TypeOf<ReturnType<typeof cardMessage>>

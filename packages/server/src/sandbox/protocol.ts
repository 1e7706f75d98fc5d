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
} from '@plazo/core/internal'
import * as t from 'io-ts'

export const TriggerCatalogue = namedObject('Triggers', {
  triggers: t.readonlyArray(
    exactObject({
      surnames: t.string,
      note: t.string,
      path: description('The actions of the wait endpoint.', t.readonlyArray(t.string)),
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
  id: t.string,
  at: Instant,
  type: oneOf('request', 'webhook', 'provider', 'sms', 'step'),
  title: t.string,
  text: t.string,
  names: description('Of a step, in the names of the interface.', orNull(t.string)),
  badge: description('A status, or a word in its place.', orNull(t.string)),
  tone: oneOf('good', 'bad', 'plain'),
  details: t.readonlyArray(exactObject({ label: t.string, content: t.string })),
  seq: description('Of a step: its line in the history.', orNull(Count)),
})
export type TimelineEntry = t.TypeOf<typeof TimelineEntry>

const UpcomingEntry = namedObject('UpcomingEntry', { at: Instant, title: t.string, text: t.string })
export type UpcomingEntry = t.TypeOf<typeof UpcomingEntry>

export const Timeline = namedObject('Timeline', {
  now: Instant,
  order: OrderView,
  entries: t.readonlyArray(TimelineEntry),
  upcoming: t.readonlyArray(UpcomingEntry),
})
export type Timeline = t.TypeOf<typeof Timeline>

export const ClockView = t.intersection([
  exactObject({ now: Instant }),
  t.partial({ moving: exactObject({ to: Instant, fired: Count }) }),
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
  fired: t.readonlyArray(exactObject({ at: Instant, order_ref: t.string, what: t.string })),
})
export type Advanced = t.TypeOf<typeof Advanced>

/** `POST /sandbox/demo/orders`. */
export const DemoOrderPayload = schemaName(
  'DemoOrder',
  objectOf({
    product: description('i1, pp3, sp1 or fp1.', NonEmptyText),
    language: description('en or es.', absentOr(NonEmptyText)),
    items: absentOr(
      listOf('an array', t.type({ name: Text, total_with_tax: PositiveMinorAmount }, 'an object')),
    ),
    shop: absentOr(objectOf({ notify_url: WebUrl, events_url: WebUrl })),
  }),
)
export type DemoOrderPayload = t.TypeOf<typeof DemoOrderPayload>

export const DemoOrderPlaced = exactObject({ order_ref: t.string })

/** `POST /sandbox/demo/runs`. */
export const StateRunPayload = t.type({
  state: NonEmptyText,
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
    number: optional(Text),
    expiry: description('MM/YY', optional(Text)),
    cvc: optional(Text),
    save: description('on saves the card.', optional(Text)),
  }),
)

export const SavedCardForm = schemaName('SavedCardForm', objectOf({ cvc: optional(Text) }))

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
        src: description('Post status success or failure to it.', t.string),
      }),
      exactObject({ action: t.literal(`${service}.invalid_form`) }),
    ]),
  )
export type CardMessage = t.TypeOf<ReturnType<typeof cardMessage>>

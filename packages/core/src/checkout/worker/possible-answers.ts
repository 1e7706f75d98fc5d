// Lists the possible results of an effect without running it. A page where a person answers for a
// provider, a simulation and a host's own worker offer these results.
import { type EffectPayload, timerEvent } from '../../order/effects/effect.ts'
import { AFTER } from '../../order/effects/effects.ts'
import type { MachineEvent } from '../../order/machine/machine-context.ts'
import { orderMachine } from '../../order/machine/order-machine.ts'
import type { ReplyEvent } from '../../order/order.ts'
import type { Job } from '../../ports/job-queue.ts'
import type { Person } from '../../protocol/identification-form.ts'
import { PERSON_FIELDS } from '../../protocol/person-fields.ts'
import { type SavedCard, ScreeningAnswer, SessionStatus } from '../../protocol/provider-answer.ts'
import { RiskLevel } from '../../protocol/webhook-event.ts'

/** An event without the key of the effect that it answers. */
type Answer = ReplyEvent extends infer Event
  ? Event extends ReplyEvent
    ? Omit<Event, 'inReplyTo'>
    : never
  : never

type Answers = {
  readonly [Kind in EffectPayload['kind']]: (
    payload: Extract<EffectPayload, { readonly kind: Kind }>,
  ) => readonly Answer[]
}

const CARD: SavedCard = {
  token: 'card',
  brand: 'visa',
  lastFour: '1111',
  expiry: '12/40',
  maskedPan: '411111******1111',
}

const namesOf = <Name extends string>({ keys }: { readonly keys: Record<Name, unknown> }) =>
  Object.keys(keys) as Name[]

const ANSWERS: Answers = {
  sms: () => [],
  void: () => [],
  card: () => [],
  screening: ({ agreement }) =>
    namesOf(ScreeningAnswer).map((outcome) => ({
      type: 'screening.resolved',
      outcome,
      alternative:
        outcome === 'alternative' ? { agreements: [agreement], forcedIndex: null } : null,
    })),
  cards: () => [
    { type: 'cards.recalled', cards: [] },
    { type: 'cards.recalled', cards: [CARD] },
  ],
  session: () => [
    { type: 'session.opened', url: 'https://id.example/session' },
    ...namesOf(SessionStatus).map((status) => ({ type: 'session.reported', status }) as const),
    { type: 'session.unavailable' },
  ],
  payment: ({ token }) => [
    { type: 'payment.opened', url: 'https://pay.example/payment' },
    { type: 'payment.succeeded', card: null, keep: false },
    { type: 'payment.succeeded', card: CARD, keep: true },
    { type: 'payment.failed', reason: 'declined' },
    { type: 'payment.challenged', token, card: CARD, keep: false },
    { type: 'payment.unavailable' },
  ],
  refund: () => [{ type: 'payment.refunded' }],
  risk: () => namesOf(RiskLevel).map((level) => ({ type: 'risk.assessed', level })),
  watch: () => [{ type: 'cancellation.advised', delay: 0 }],
  ipn: () => [
    { type: 'ipn.accepted' },
    { type: 'ipn.conflicted' },
    { type: 'ipn.erred' },
    { type: 'ipn.exhausted' },
  ],
  event: ({ event }) =>
    event === 'cancel'
      ? [
          { type: 'cancel.agreed' },
          { type: 'cancel.refused', lateByMinutes: null },
          { type: 'cancel.deferred', retryInMinutes: 1 },
          { type: 'cancel.unsupported' },
          { type: 'cancel.exhausted' },
        ]
      : [],
  timer: ({ timer }) => [timerEvent('', timer)],
}

/**
 * The events that may answer an effect, each with one value that stands for its kind. Empty if the
 * order waits for no answer. Give one to `step`, or to `completeJob` as the `event` of a result.
 *
 * @example
 * ```ts
 * const job = { key: 'order:3:risk', payload } // of an effect of a step, or a claimed job
 * console.log(possibleAnswers(job)[0]) // { type: 'risk.assessed', level: 'low_risk', … }
 * ```
 */
export const possibleAnswers = ({
  key,
  payload,
}: Pick<Job, 'key' | 'payload'>): readonly ReplyEvent[] => {
  // The table pairs each kind with its payload, and each type of event with its values.
  const answersTo = ANSWERS[payload.kind] as (payload: EffectPayload) => readonly Answer[]
  return answersTo(payload).map((answer) => ({ ...answer, inReplyTo: key }) as ReplyEvent)
}

// Every answer takes what it needs of this payload.
const PAYLOAD = { agreement: { product: 'i1', instalmentCount: 1 }, token: '', event: 'cancel' }
const isTimer = (type: string): boolean => type.startsWith(AFTER)
const submission = {
  person: Object.fromEntries(PERSON_FIELDS.map((field) => [field, field])) as Person,
  agreement: PAYLOAD.agreement,
}

/**
 * Events of every type, for tools of XState such as `getShortestPaths`, which need values. Timers fire by
 * the names that XState gives them.
 *
 * @example
 * ```ts
 * const paths = getShortestPaths(orderMachine, { input, events: [...sampleEvents] })
 * console.log(paths.length)
 * ```
 */
export const sampleEvents: readonly MachineEvent[] = [
  { type: 'person.submitted', ...submission },
  { type: 'person.changed', ...submission },
  { type: 'code.submitted', ...submission, code: '00000' },
  { type: 'merchant.confirmed' },
  { type: 'merchant.held' },
  { type: 'references.given', first: 'A-1001', second: null },
  { type: 'order.updated' },
  { type: 'order.reduced', carts: { shipped: 0, unshipped: 100 }, from: 200 },
  { type: 'review.approved' },
  { type: 'review.rejected' },
  { type: 'cancellation.requested' },
  { type: 'order.cancelled', by: 'merchant' },
  // A timer has other names for XState, and the casts only leave out what the table's types ask for.
  ...Object.entries({ ...ANSWERS, timer: () => [] }).flatMap(([kind, answersTo]) =>
    answersTo({ ...PAYLOAD, kind } as never).map(
      (answer) => ({ ...answer, inReplyTo: `order:1:${kind}` }) as ReplyEvent,
    ),
  ),
  ...orderMachine.events.filter(isTimer).map((type) => ({ type }) as MachineEvent),
]

// The bodies of requests and answers about deliveries: list, resend, recover and example. Contract §3, Deliveries.
import * as t from 'io-ts'
import { description, schemaName } from './annotation.ts'
import { Instant, InstantInput } from './instant.ts'
import { Count, orNull, textOf } from './scalars.ts'

const WebhookName = t.keyof(
  { cancelled: null, cancel: null, denied: null, risk_assessment: null, identification_action: null, ipn: null },
  'one of cancelled, cancel, denied, risk_assessment, identification_action, ipn',
)

export const DeliveryStateName = t.keyof({
  pending: null,
  delivered: null,
  exhausted: null,
  stopped: null,
  unsupported: null,
  stuck: null,
})

const answer = {
  duration_ms: description('Null while it is in flight, and of one that was lost.', orNull(Count)),
  status: description('Null where there was no answer.', orNull(Count)),
  error: description('Why it was not accepted, in one word; null where it was.', orNull(t.string)),
  response: description(
    'The body that was answered: at most 16 KiB of it, and of a delivery’s last 50 attempts.',
    orNull(t.string),
  ),
}

export const AttemptView = schemaName(
  'DeliveryAttempt',
  t.readonly(
    t.strict({
      n: description('Counted from 1.', Count),
      trigger: t.keyof({ schedule: null, resend: null, recover: null }),
      started_at: Instant,
      outcome: description(
        'Null while it is in flight; lost, where whoever made it did not live to tell.',
        orNull(t.keyof({ accepted: null, error: null, lost: null })),
      ),
      ...answer,
    }),
  ),
)
export type AttemptView = t.TypeOf<typeof AttemptView>

export const DeliveryView = schemaName(
  'Delivery',
  t.readonly(
    t.strict({
      id: description('The Webhook-Id.', t.string),
      event: WebhookName,
      order_ref: t.string,
      state: DeliveryStateName,
      due_at: description('When it is tried next; null once it has ended.', orNull(Instant)),
      attempts: t.readonlyArray(AttemptView),
    }),
  ),
)
export type DeliveryView = t.TypeOf<typeof DeliveryView>

export const ResendView = t.readonly(t.strict({ id: description('The delivery’s.', t.string) }))

/** The maximum and the default number of deliveries on a page. */
export const PAGE_LIMIT_MAX = 1000

export const PageLimit = textOf(
  `a whole number from 1 to ${PAGE_LIMIT_MAX}`,
  '^(?:1000|0?[1-9][0-9]{2}|0{0,2}[1-9][0-9]|0{0,3}[1-9])$',
  (value) => /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= PAGE_LIMIT_MAX,
)

/** `POST /merchants/<ref>/deliveries/recover`. */
export const RecoverPayload = t.type({ since: InstantInput })
export const RecoveryView = t.readonly(t.strict({ count: description('How many are sent again.', Count) }))

const ReceiverUrl = textOf('the URL of a receiver', '^\\s*[A-Za-z]', (value) => URL.canParse(value))

/** `POST /merchants/<ref>/deliveries/example`. */
export const ExamplePayload = t.type({ event: WebhookName, url: ReceiverUrl })

export const ExampleView = schemaName(
  'DeliveryExample',
  t.readonly(
    t.strict({
      id: description('The Webhook-Id it was sent under.', t.string),
      event: WebhookName,
      url: t.string,
      body: description('What was sent.', t.string),
      outcome: t.keyof({ accepted: null, error: null, lost: null }),
      ...answer,
    }),
  ),
)
export type ExampleView = t.TypeOf<typeof ExampleView>

// The merchants of cluster, isolation and simulation runs. Each order has a merchant with its own
// manner of answering; the manner decides each answer, and the run decides how the answer travels.
import { hashPassword } from '@plazo/adapters/encryption'
import { sign, verifyStandardWebhook } from '@plazo/adapters/internal/http'
import type { Merchants } from '@plazo/core/ports'
import { CATALOGUE } from '@plazo/core/protocol'
import type { SeededRandom } from './seeded-random.ts'

/** A merchant and its account. All accounts have the same password. */
export type MerchantRef = { readonly ref: string; readonly account: string }

export const PASSWORD = 'merchants'

/** One account. Its second merchant receives every change as an action event. */
export const MERCHANTS: readonly [MerchantRef, ...MerchantRef[]] = [
  { ref: 'polling', account: 'merchants' },
  { ref: 'pushed', account: 'merchants' },
]

const SECRET = '0123456789abcdef0123456789abcdef'

export const addMerchants = async (
  merchants: Pick<Merchants, 'add'>,
  all: readonly MerchantRef[] = MERCHANTS,
): Promise<void> => {
  // Hash the password once, and not for each of a thousand merchants.
  const passwordHash = await hashPassword(PASSWORD)
  for (const { ref, account } of all)
    await merchants.add({
      ref,
      name: ref,
      username: account,
      passwordHash,
      signatureSecret: SECRET,
      country: null,
      currency: 'EUR',
      products: CATALOGUE.map(({ code }) => code),
      optionalFields: [],
      sendActionEvents: ref === 'pushed',
    })()
}

/** A request as a merchant receives it. Header names are in lower case. */
export type ReceivedRequest = {
  readonly kind: 'ipn' | 'events'
  /** The number of the order, from the path. */
  readonly order: number
  /** `ipn`, or the name of the event. */
  readonly event: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly fields: Readonly<Record<string, string>>
}

type MerchantReply = {
  readonly status: number
  readonly body?: string
  readonly retryAfter?: string
  /** Milliseconds until it is sent. */
  readonly after?: number
}

/** A reply, or none: the connection stays silent, drips a byte each second, or breaks. */
export type Fate = MerchantReply | 'hangs' | 'drips' | 'breaks'

export const webhookId = ({
  headers,
}: {
  readonly headers: Readonly<Record<string, unknown>>
}): string => String(headers['webhook-id'] ?? '')

const json = (body: unknown, status = 200): MerchantReply => ({
  status,
  body: JSON.stringify(body),
})
const ACCEPTED: MerchantReply = { status: 200, body: '' }
const DOWN: MerchantReply = { status: 503 }
const CANCELLED = json({ result: 'cancelled' })

type Fates = readonly [Fate, ...Fate[]]

const statuses = (...all: readonly number[]): readonly MerchantReply[] =>
  all.map((status) => ({ status }))

/** All possible answers to an IPN. */
const IPN_FATES: Fates = [
  { status: 200 },
  ...statuses(201, 204, 301, 404, 500),
  { status: 503, retryAfter: '120' },
  ...statuses(409, 410),
  'hangs',
  'breaks',
]

/** All possible answers to an informative event. */
const EVENT_FATES: Fates = [
  { status: 200 },
  ...statuses(202, 204, 302, 303, 404, 410, 500, 501),
  { status: 429, retryAfter: '99999999' },
  'hangs',
  'breaks',
]

/** Every answer of contract §6, including hostile ones. */
const CANCEL_FATES: Fates = [
  CANCELLED,
  json({ result: 'cancelled' }, 302),
  json({ result: 'toolate', late_by: 7 }),
  json({ result: 'toolate' }),
  ...[1, 60, 1440, '30', 0, 1441, 5.5].map((minutes) =>
    json({ result: 'retry', retry_in: minutes }),
  ),
  ...[{ result: 'retry' }, { result: 'Cancelled' }, { result: 'maybe' }, {}].map((body) =>
    json(body),
  ),
  ...[[{ result: 'cancelled' }], 'cancelled', null].map((body) => json(body)),
  json({ error: 'Unknown event: cancel' }, 501),
  json({ result: 'cancelled' }, 404),
  json({ result: 'cancelled' }, 500),
  { status: 200, body: '' },
  { status: 200, body: '<html>' },
  { status: 200, body: `\uFEFF${JSON.stringify({ result: 'cancelled' })}` },
  { status: 503, retryAfter: '30' },
  'hangs',
  'breaks',
]

type Question = ReceivedRequest & {
  readonly draw: SeededRandom
  /** Sends the merchant's own `PUT`. */
  readonly put: (state: 'confirmed' | 'on_hold') => Promise<unknown>
  /** The state that the IPN asks the merchant to confirm. */
  readonly expectedState: 'confirmed' | 'on_hold'
  /** True the first six times of each event, while things may go wrong. */
  readonly isErratic: (event: string) => boolean
  readonly isCalm: () => boolean
  readonly isRepeated: boolean
}

type Manners<Name extends string> = {
  readonly [manner in Name]: (question: Question) => Fate | Promise<Fate>
}

/** The manners of an endpoint that harms others if it can. All accept once the run is calm. */
export const BAD_MANNERS = ['hangs', 'drips', 'breaks', 'answers late'] as const
type BadManner = (typeof BAD_MANNERS)[number]

export type IpnManner =
  | BadManner
  | 'accepts'
  | 'errs first'
  /** Gives different answers of any kind, and accepts in the end. */
  | 'moody'
  | 'conflicts'
  | 'down'
  /** Confirms by `PUT` while the IPN is in flight, at times wrongly or twice, and gives any answer. */
  | 'puts anything'
  /** Has no IPN URL, and confirms by `PUT`. */
  | 'absent'

export type EventsManner =
  | BadManner
  | 'accepts'
  /** Accepts events, and at times gives any answer to a cancel request. */
  | 'wavers'
  | 'errs first'
  | 'moody'
  | 'down'
  | 'absent'

const onCancel = (reply: Fate) => (question: Question) =>
  question.event === 'cancel' ? reply : ACCEPTED
const errsFirst = ({ isRepeated }: Question): Fate => (isRepeated ? ACCEPTED : { status: 500 })

const LATE: MerchantReply = { status: 200, after: 29_000 }

const ACCEPTS_ONCE_CALM: Manners<BadManner> = {
  hangs: ({ isCalm }) => (isCalm() ? ACCEPTED : 'hangs'),
  drips: ({ isCalm }) => (isCalm() ? ACCEPTED : 'drips'),
  breaks: ({ isCalm }) => (isCalm() ? ACCEPTED : 'breaks'),
  'answers late': ({ isCalm }) => (isCalm() ? ACCEPTED : LATE),
}

const IPN_MANNERS: Manners<IpnManner> = {
  ...ACCEPTS_ONCE_CALM,
  accepts: () => ACCEPTED,
  'errs first': errsFirst,
  moody: ({ isErratic, draw }) => (isErratic('ipn') ? draw.pick(IPN_FATES) : ACCEPTED),
  conflicts: ({ draw }) => ({ status: draw.below(2) === 0 ? 409 : 410 }),
  down: () => DOWN,
  'puts anything': async ({ put, expectedState, draw, isErratic }) => {
    await put(draw.below(5) === 0 ? 'on_hold' : expectedState)
    if (draw.below(3) === 0) await put(expectedState)
    return isErratic('ipn') ? draw.pick(IPN_FATES) : ACCEPTED
  },
  absent: () => ACCEPTED,
}

const EVENTS_MANNERS: Manners<EventsManner> = {
  ...ACCEPTS_ONCE_CALM,
  accepts: onCancel(CANCELLED),
  wavers: ({ event, draw, isCalm }) =>
    event === 'cancel'
      ? draw.below(4) === 0 && !isCalm()
        ? draw.pick(CANCEL_FATES)
        : CANCELLED
      : ACCEPTED,
  'errs first': errsFirst,
  moody: ({ event, draw, isErratic }) => {
    const usual = event === 'cancel' ? CANCELLED : ACCEPTED
    return isErratic(event) ? draw.pick(event === 'cancel' ? CANCEL_FATES : EVENT_FATES) : usual
  },
  down: () => DOWN,
  absent: () => ACCEPTED,
}

type MerchantPlan = {
  readonly number: number
  readonly ipn: IpnManner
  readonly events: EventsManner
}

export type MerchantParts = {
  readonly planOf: (order: number) => MerchantPlan | undefined
  readonly drawOf: (order: number) => SeededRandom
  readonly put: (
    order: number,
    orderRef: string,
    state: 'confirmed' | 'on_hold',
  ) => Promise<unknown>
  readonly isCalm: () => boolean
  /** Called for a request that no merchant may receive. */
  readonly onViolation: (order: number, what: string) => void
}

/** How many other answers an erratic merchant gives before it accepts. */
const MOODS = 6

/** Reads a request to `/ipn/<order>` or `/events/<order>`. */
export const readRequest = (
  path: string,
  received: Readonly<Record<string, unknown>>,
  body: string,
): ReceivedRequest => {
  const [, kind = '', order = ''] = path.split('/')
  const headers = Object.fromEntries(
    Object.entries(received).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  const fields = (
    headers['content-type'] === 'application/json'
      ? JSON.parse(body)
      : Object.fromEntries(new URLSearchParams(body))
  ) as Readonly<Record<string, string>>
  const event = kind === 'ipn' ? 'ipn' : (fields.event ?? '')
  return {
    kind: kind === 'ipn' ? 'ipn' : 'events',
    order: Number(order),
    event,
    id: webhookId({ headers }),
    headers,
    body,
    fields,
  }
}

const signatureFaults = ({ id, headers, body }: ReceivedRequest): readonly string[] => {
  const input = headers['x-service-signature']
  const message = { id, timestamp: Number(headers['webhook-timestamp']), body }
  const isSigned = verifyStandardWebhook([SECRET], message, headers['webhook-signature'] ?? '')
  return [
    ...(input === sign(SECRET, body) ? [] : [`${id} is signed with ${input}.`]),
    ...(isSigned ? [] : [`${id} has a Webhook-Signature that is not the merchant’s.`]),
  ]
}

/**
 * Decides the answer to each request, and checks its signatures. An order without a plan has no
 * merchant.
 */
export const answerAsMerchants = ({ planOf, drawOf, put, isCalm, onViolation }: MerchantParts) => {
  const moods = new Map<string, number>()
  const idsOf = new Map<string, readonly string[]>()
  const noteId = (name: string, id: string): boolean => {
    const before = idsOf.get(name) ?? []
    const isRepeated = before.includes(id)
    if (!isRepeated) idsOf.set(name, [...before, id])
    return isRepeated
  }
  return async (request: ReceivedRequest): Promise<Fate> => {
    const { order, event, id, fields } = request
    const plan = planOf(order)
    if (plan === undefined) return 'breaks'
    for (const fault of signatureFaults(request)) onViolation(order, fault)
    const isErratic = (name: string): boolean => {
      const times = (moods.get(`${name} ${order}`) ?? 0) + 1
      moods.set(`${name} ${order}`, times)
      return times <= MOODS && !isCalm()
    }
    const question: Question = {
      ...request,
      isRepeated: noteId(`${event} ${order}`, id),
      draw: drawOf(order),
      put: (state) => put(order, fields.order_ref ?? '', state),
      expectedState: fields.sq_state === 'needs_review' ? 'on_hold' : 'confirmed',
      isErratic,
      isCalm,
    }
    return request.kind === 'ipn'
      ? IPN_MANNERS[plan.ipn](question)
      : EVENTS_MANNERS[plan.events](question)
  }
}

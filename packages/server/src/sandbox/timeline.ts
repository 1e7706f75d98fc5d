// Puts together what happened to an order, and what will happen next, from the sandbox's records, the order's history, its SMS and
// its pending jobs. The words are those that a developer of a shop knows.
import { verifyStandardWebhook } from '@plazo/adapters/http'
import type { SandboxMessage, SandboxRecord } from '@plazo/adapters/sandbox'
import type { HistoryLine, OrderView, PendingJob, Timeline, TimelineEntry, UpcomingEntry } from '@plazo/core'
import { countdown, stepText } from '../browser/shared/formats.ts'
import { RECORD_KIND, type RecordedContent } from './recorder.ts'

type TimelineInput = {
  /** Domain time, epoch milliseconds. */
  readonly now: number
  readonly order: OrderView
  readonly records: readonly SandboxRecord[]
  readonly lines: readonly HistoryLine[]
  readonly messages: readonly SandboxMessage[]
  readonly jobs: readonly PendingJob[]
  /** The merchant's live secrets, which check the signatures of webhooks as they were sent. */
  readonly secrets: readonly string[]
}

export const timelineOf = ({ now, order, records, lines, messages, jobs, secrets }: TimelineInput): Timeline => {
  const entries = [
    ...records.filter(isOfTimeline).map(recordEntry(secrets)),
    ...lines.map(lineEntry),
    ...messages.map(messageEntry),
  ]
  // What happened at the same instant: first the request, then what it caused.
  const ordered = entries.toSorted((one, other) =>
    one.at === other.at ? RANK[one.type] - RANK[other.type] : one.at < other.at ? -1 : 1,
  )
  return { now: instant(now), order, entries: ordered, upcoming: jobs.map((job) => upcomingEntry(job, now)) }
}

const RANK = { request: 0, provider: 1, step: 2, sms: 3, webhook: 4 } as const

const instant = (at: number): string => new Date(at).toISOString()

const pretty = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

const shortPath = (path: string): string =>
  path
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    .replace('/api/v1/checkout/…', '…')
    .replace(/^\/(pay|verify)\/…\/[\w-]+/, '/$1/…')

const actionIn = (answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'action' in answer ? String(answer.action) : ''

const detail = (label: string, value: unknown) =>
  value === null || value === '' ? [] : [{ label, content: pretty(value) }]

const toneOf = (status: number | null): TimelineEntry['tone'] => (status !== null && status < 400 ? 'good' : 'bad')

type Content<Type extends RecordedContent['type']> = Extract<RecordedContent, { readonly type: Type }>
type EntryParts = Pick<TimelineEntry, 'title' | 'text' | 'badge' | 'tone' | 'details'>

const requestParts = ({ method, path, status, body, answer }: Content<'request'>): EntryParts => ({
  title: `${method} ${shortPath(path)}`,
  text: actionIn(answer),
  badge: String(status),
  tone: toneOf(status),
  details: [...detail('Body', body), ...detail('Answer', answer)],
})

const providerParts = ({ effect, answer }: Content<'provider'>): EntryParts => ({
  title: PROVIDERS[effect] ?? effect,
  text: '',
  badge: null,
  tone: 'plain',
  details: detail('Answer', answer),
})

const webhookParts = (webhook: Content<'webhook'>, secrets: readonly string[]): EntryParts => {
  const { url, headers, body, status, answer, error, drill } = webhook
  const signature = signatureCheck(webhook, secrets)
  return {
    title: `Webhook ${webhookName(body)}`,
    text: [`signature ${signature.split(':')[0]}`, url, ...(drill === null ? [] : [`drill: ${drill}`])].join(' · '),
    badge: status === null ? error : String(status),
    tone: toneOf(status),
    details: [
      ...detail('Signature', signature),
      ...detail('Headers', headers),
      ...detail('Body', readableBody(body)),
      ...detail('Answer of the shop', answer),
    ],
  }
}

const signatureCheck = ({ headers, body }: Content<'webhook'>, secrets: readonly string[]): string => {
  const message = { id: headers['Webhook-Id'] ?? '', timestamp: Number(headers['Webhook-Timestamp']), body }
  return verifyStandardWebhook(secrets, message, headers['Webhook-Signature'] ?? '')
    ? 'valid: Webhook-Signature matches the id, the timestamp and the body'
    : 'wrong: Webhook-Signature matches none of the merchant’s current secrets'
}

// The webhook inbox keeps records of orders too.
const isOfTimeline = ({ kind }: SandboxRecord): boolean => kind === RECORD_KIND

const recordEntry =
  (secrets: readonly string[]) =>
  ({ id, at, content }: SandboxRecord): TimelineEntry => {
    // Only the recorder writes these.
    const recorded = JSON.parse(content) as RecordedContent
    const common = { id: `record-${id}`, at: instant(at), seq: null }
    switch (recorded.type) {
      case 'request':
        return { ...common, type: 'request', ...requestParts(recorded) }
      case 'provider':
        return { ...common, type: 'provider', ...providerParts(recorded) }
      case 'webhook':
        return { ...common, type: 'webhook', ...webhookParts(recorded, secrets) }
    }
  }

const PROVIDERS: { readonly [effect: string]: string } = {
  screening: 'Screening answered',
  sms: 'SMS accepted for sending',
  session: 'ID verification answered',
  payment: 'Payment opened',
  void: 'Payment voided',
  refund: 'Payment refunded',
  cards: 'Saved cards looked up',
  card: 'Card saved',
  risk: 'Risk assessed',
  watch: 'Risk service answered',
}

/** An IPN has no event, an action event is JSON. */
const webhookName = (body: string): string => {
  if (body.startsWith('{')) return 'identification_action'
  return new URLSearchParams(body).get('event') ?? 'IPN'
}

const readableBody = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

const lineEntry = (line: HistoryLine): TimelineEntry => ({
  id: `line-${line.seq}`,
  at: line.at,
  type: 'step',
  title: line.event,
  text: stepText(line),
  badge: null,
  tone: 'plain',
  details: [],
  seq: line.seq,
})

const messageEntry = ({ key, at, to, text, code }: SandboxMessage): TimelineEntry => ({
  id: `sms-${key}`,
  at: instant(at),
  type: 'sms',
  title: `SMS to ${to}`,
  text,
  badge: code,
  tone: 'plain',
  details: [],
  seq: null,
})

const UPCOMING: { readonly [lane: string]: string } = {
  'timer.screeningWindow': 'The screening expires, unless it is answered before',
  'timer.checkoutLifetime': 'The checkout expires, unless the order is confirmed before',
  'timer.idResult': 'The order continues after the ID verification',
  'timer.cancelDelay': 'The shop is asked to cancel',
  screening: 'The screening is answered',
  session: 'The ID verification is asked about',
  sms: 'The code is sent by SMS',
  ipn: 'The IPN is sent to the shop',
  notice: 'An event is sent to the shop',
  action: 'An action event is sent to the shop',
  cancel: 'The shop is asked to cancel',
  risk: 'The risk is assessed',
  watch: 'The risk service is asked',
}

/** A job that is pending, in the words of a developer. */
export const upcomingEntry = ({ lane, dueAt, attempts, state }: PendingJob, now: number): UpcomingEntry => ({
  at: instant(dueAt),
  title: UPCOMING[lane] ?? lane,
  text: [
    state === 'stuck' ? 'stuck: an operator must retry it' : dueAt <= now ? 'now' : `in ${countdown(dueAt - now)}`,
    ...(attempts > 0 ? [`attempt ${attempts + 1}`] : []),
  ].join(' · '),
})

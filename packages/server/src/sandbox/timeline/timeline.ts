// Puts together what happened to an order, and what will happen next, from the sandbox's recorder,
// the order's history, its SMS and its pending jobs. The words are those that a developer of a shop
// knows. Sandbox rules, Timeline.

import type { SandboxMessage } from '@plazo/adapters/sandbox'
import { explainOrder, type FullHost, type Order, orderView } from '@plazo/core'
import type { Awaited, Explanation, Happening } from '@plazo/core/explanation'
import { type Attempt, laneOfKey, type Merchants } from '@plazo/core/ports'
import type { HistoryLine } from '@plazo/core/protocol'
import {
  countdown,
  eventNames,
  eventNote,
  eventWords,
  newestLines,
  providerWords,
  type ReadAfter,
  STUCK_TEXT,
  upcomingWords,
  VALID_SIGNATURE_TEXT,
  value,
} from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Timeline, TimelineEntry, UpcomingEntry } from '../protocol.ts'
import type { RecordedEntry, RecordedRequest, Recorder } from '../recorder.ts'
import type { MessagesOf } from '../sandbox-messages.ts'
import {
  fieldsIn,
  readSentWebhooks,
  type SentAttempt,
  type SentWebhook,
} from '../webhooks/sent-webhooks.ts'

type TimelineParts = {
  readonly recorder: Recorder
  readonly messages: MessagesOf
  readonly host: FullHost
  readonly merchants: Pick<Merchants, 'liveSecrets'>
}

export const readTimeline =
  ({ host, merchants, messages, recorder }: TimelineParts) =>
  async (order: Order): Promise<Timeline> => {
    const { orderRef } = order.placed
    const { lines } = await value(newestLines(host.store)(orderRef, 0))
    const texts = await value(messages(orderRef))
    const explanation = await value(explainOrder(host)(order))
    const webhooks = await readSentWebhooks({ host, merchants })(newestWebhooks(order))
    const now = host.clock.now()
    // A command may have erased the shopper, next to this process.
    if (lines.some(({ event }) => event === 'shopper.forgotten')) recorder.forget(orderRef)
    const entries = [
      ...recorder.list(orderRef).map(recordEntry),
      ...webhooks.flatMap(webhookEntries),
      ...lines.map(lineEntry),
      ...texts.map(messageEntry),
    ]
    return {
      now: instant(now),
      order: orderView(order),
      entries: entries.toSorted(byInstant),
      upcoming: upcomingOf(order, explanation, now),
    }
  }

/**
 * Counts what an order's timeline has: a stream sends the count whenever it has grown, and the
 * reader reads the timeline again. The timeline itself could be larger than a stream may buffer.
 */
export const countTimeline = (
  { host, messages, recorder }: TimelineParts,
  order: Order,
): ReadAfter => {
  const { orderRef } = order.placed
  let count = 0
  let lastRecord = 0
  let lastLine = 0
  /** The messages, and the attempts of webhooks. */
  let otherCount = 0

  return async (after) => {
    const [newest, all, webhooks] = await Promise.all([
      newestLines(host.store)(orderRef, lastLine)(),
      messages(orderRef)(),
      host.store.deliveries.list({
        ...newestWebhooks(order),
        state: null,
        before: null,
        responses: 0,
      })(),
    ])
    if (E.isLeft(newest) || E.isLeft(all) || E.isLeft(webhooks)) return null
    lastLine = newest.right.lines.at(-1)?.seq ?? lastLine
    const recorded = recorder.list(orderRef, lastRecord)
    lastRecord = recorded.at(-1)?.id ?? lastRecord
    const attempts = webhooks.right.flatMap((delivery) => delivery.attempts.filter(hasEnded))
    const others = all.right.length + attempts.length
    count += newest.right.lines.length + recorded.length + others - otherCount
    otherCount = others
    return count > after ? [{ id: count, type: 'timeline', data: { count } }] : []
  }
}

// Orders entries by time. Within one instant, a request comes before its effects.
const byInstant = (one: TimelineEntry, other: TimelineEntry): number =>
  one.at === other.at ? RANK[one.type] - RANK[other.type] : one.at < other.at ? -1 : 1

const RANK = { request: 0, provider: 1, step: 2, sms: 3, webhook: 4 } as const

const instant = (at: number): string => new Date(at).toISOString()

const pretty = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)

const shortPath = (path: string): string =>
  path
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    .replace('/api/v1/checkout/…', '…')
    .replace(/^\/(pay|verify)\/…\/[\w-]+/, '/$1/…')

const actionIn = (answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'action' in answer ? String(answer.action) : ''

const detail = (label: string, value: unknown) =>
  value === null || value === '' ? [] : [{ label, content: pretty(value) }]

const toneOf = (status: number | null): TimelineEntry['tone'] =>
  status !== null && status < 400 ? 'good' : 'bad'

type EntryParts = Pick<TimelineEntry, 'title' | 'text' | 'badge' | 'tone' | 'details'>

const PLAIN = { text: '', badge: null, tone: 'plain', details: [], seq: null, names: null } as const

const requestParts = ({ method, path, status, body, answer }: RecordedRequest): EntryParts => ({
  title: `${method} ${shortPath(path)}`,
  text: actionIn(answer),
  badge: String(status),
  tone: toneOf(status),
  details: [...detail('Body', body), ...detail('Answer', answer)],
})

const signatureText = (isRight: boolean): string =>
  isRight
    ? VALID_SIGNATURE_TEXT
    : 'wrong: Webhook-Signature matches none of the merchant’s current secrets'

/** A timeline of more would be megabytes of answers. */
const WEBHOOKS_MAX = 100

const newestWebhooks = ({ placed: { merchant, orderRef } }: Order) => ({
  merchantRef: merchant.ref,
  orderRef,
  limit: WEBHOOKS_MAX,
})

const hasEnded = ({ outcome }: Attempt): boolean => outcome !== null

const webhookEntries = (webhook: SentWebhook): readonly TimelineEntry[] =>
  webhook.attempts.filter(hasEnded).map((attempt) => webhookEntry(webhook, attempt))

const webhookEntry = ({ id, event, body }: SentWebhook, attempt: SentAttempt): TimelineEntry => {
  const { n, startedAt, status, error, errorReason, request, response } = attempt
  const { headers, isSignatureRight } = attempt
  const signature = isSignatureRight === null ? '' : signatureText(isSignatureRight)
  const texts = [
    signature && `signature ${signature.split(':')[0]}`,
    request?.url ?? '',
    errorReason ?? '',
  ]
  return {
    ...PLAIN,
    id: `webhook-${id}-${n}`,
    at: instant(startedAt),
    type: 'webhook',
    title: `Webhook ${event === 'ipn' ? 'IPN' : event}`,
    text: texts.filter((text) => text !== '').join(' · '),
    badge: status === null ? (error ?? 'lost') : String(status),
    tone: toneOf(status),
    details: [
      ...detail('Signature', signature),
      ...detail('Headers', headers),
      ...detail('Body', body && fieldsIn(body)),
      ...detail('Answer of the shop', response),
    ],
  }
}

const recordEntry = ({ id, at, content }: RecordedEntry): TimelineEntry => {
  const common = { ...PLAIN, id: `record-${id}`, at: instant(at) }
  if (content.type === 'request') return { ...common, type: 'request', ...requestParts(content) }
  const { effect, answer } = content
  return {
    ...common,
    type: 'provider',
    title: providerWords(effect, answer),
    details: detail('Answer', answer),
  }
}

const lineEntry = (line: HistoryLine): TimelineEntry => ({
  ...PLAIN,
  id: `line-${line.seq}`,
  at: line.at,
  type: 'step',
  title: eventWords(line),
  text: eventNote(line),
  names: eventNames(line),
  seq: line.seq,
})

const messageEntry = ({ key, at, to, text, code }: SandboxMessage): TimelineEntry => ({
  ...PLAIN,
  id: `sms-${key}`,
  at: instant(at),
  type: 'sms',
  title: `SMS to ${to}`,
  text,
  badge: code,
})

/** The ends of a wait whose words are not those of its timer. */
const ENDS: { readonly [state in Order['state']['checkout']]?: string } = {
  confirmed: 'The order is confirmed, as the shop has said',
  reviewing: 'The order is put on hold, as the shop has said',
  failed: 'The order fails, unless the shop confirms it before',
  rejected: 'The shopper is denied, because the ID check failed',
}

const attemptEntry = ({ job, what, ...tries }: Awaited, now: number): UpcomingEntry | null => {
  const { isInFlight, lastAttempt } = tries
  if (job === null) return null
  const title = upcomingWords(laneOfKey(job))
  if (what === 'job.retried') return { at: instant(now), title, text: STUCK_TEXT }
  const at = isInFlight ? now : tries.nextAt
  // The order goes on without it before it would start.
  if (at === null || (tries.until !== null && at > tries.until)) return null
  const attempt = lastAttempt === null ? [] : [`attempt ${lastAttempt.failed + 1}`]
  return { at: instant(at), title, text: [whenText(at, now), ...attempt].join(' · ') }
}

const whenText = (at: number, now: number): string =>
  at <= now ? 'now' : `in ${countdown(at - now)}`

const isTimer = ({ event, job }: Happening, { placed }: Order): boolean =>
  event === 'timer.fired' || (laneOfKey(job) === 'ipn' && placed.notifyUrl === null)

const timerEntry = (
  { job, at, isLatest, state }: Happening,
  { state: { checkout } }: Order,
  now: number,
): UpcomingEntry => {
  const end = state.checkout === checkout ? undefined : ENDS[state.checkout]
  return {
    at: instant(at),
    title: end ?? upcomingWords(laneOfKey(job)),
    text: isLatest ? 'once the shop has answered the IPN' : whenText(at, now),
  }
}

/**
 * What happens next to an order, in the words of a developer: the attempts of its requests, and the
 * timers that change it if nobody acts before.
 */
export const upcomingOf = (
  order: Order,
  { awaits, ahead }: Pick<Explanation, 'awaits' | 'ahead'>,
  now: number,
): readonly UpcomingEntry[] => {
  const attempts = awaits.map((awaited) => attemptEntry(awaited, now))
  const timers = ahead
    .filter((happening) => isTimer(happening, order))
    .map((happening) => timerEntry(happening, order, now))
  return [...attempts, ...timers]
    .filter((entry) => entry !== null)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

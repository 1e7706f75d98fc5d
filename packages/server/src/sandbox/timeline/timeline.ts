// Puts together what happened to an order, and what will happen next, from the sandbox's recorder,
// the order's history, its SMS and its pending jobs. The words are those that a developer of a shop
// knows. Sandbox rules, Timeline.

import type { SandboxMessage } from '@plazo/adapters/internal/sandbox'
import {
  type Explanation,
  explainOrder,
  type HistoryLine,
  isJsonObject,
  laneOfKey,
  type Order,
  orderView,
} from '@plazo/core/internal'
import {
  countdown,
  eventNames,
  eventNote,
  eventWords,
  jobWords,
  providerWords,
  readLines,
  STUCK_TEXT,
  value,
} from '@plazo/server/internal'
import type { Timeline, TimelineEntry, UpcomingEntry } from '../protocol.ts'
import type { RecordedEntry } from '../recorder.ts'
import type { SandboxServices } from '../services.ts'
import {
  fieldsIn,
  readSentWebhooks,
  type SentAttempt,
  type SentWebhook,
} from '../webhooks/sent-webhooks.ts'

export const readTimeline =
  (services: Pick<SandboxServices, 'host' | 'merchants' | 'recorder' | 'messages'>) =>
  async (order: Order): Promise<Timeline> => {
    const { host, recorder } = services
    const { orderRef, merchant } = order.placed
    const { history } = await readLines(host.store)(order)
    const messages = await value(services.messages(orderRef))
    const filter = { merchantRef: merchant.ref, orderRef, limit: WEBHOOKS_MAX }
    const webhooks = await readSentWebhooks(services)(filter)
    const now = host.clock.now()
    // A command may have erased the shopper, next to this process.
    if (history.some(({ event }) => event === 'shopper.forgotten')) recorder.forget(orderRef)
    const entries = [
      ...recorder.list(orderRef).map(recordEntry),
      ...history.map(lineEntry),
      ...messages.map(messageEntry),
      ...webhooks.flatMap(webhookEntries),
    ]
    return {
      now: instant(now),
      order: orderView(order),
      entries: entries.toSorted(
        (one, other) =>
          Date.parse(one.at) - Date.parse(other.at) ||
          TYPES.indexOf(one.type) - TYPES.indexOf(other.type),
      ),
      upcoming: await readUpcoming(host)(order),
    }
  }

// Within one instant, a request comes before its effects.
const TYPES = ['request', 'provider', 'step', 'sms', 'webhook']

/** A timeline of more would be megabytes of answers. */
const WEBHOOKS_MAX = 100

const instant = (at: number): string => new Date(at).toISOString()

const shortPath = (path: string): string =>
  path
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '…')
    .replace('/api/v1/checkout/…', '…')
    .replace(/^(\/sandbox\/\w+)\/….*/, '$1/…')

const detail = (label: string, content: unknown): TimelineEntry['details'] => {
  if (content === null || content === '') return []
  return [
    { label, content: typeof content === 'string' ? content : JSON.stringify(content, null, 2) },
  ]
}

const toneOf = (status: number | null): TimelineEntry['tone'] =>
  status !== null && status < 400 ? 'good' : 'bad'

const PLAIN = { text: '', badge: null, tone: 'plain', details: [], seq: null, names: null } as const

const actionIn = (answer: unknown): string =>
  isJsonObject(answer) && 'action' in answer ? String(answer.action) : ''

const recordEntry = ({ id, at, content }: RecordedEntry): TimelineEntry => {
  const common = { ...PLAIN, id: `record-${id}`, at: instant(at) }
  if (content.type === 'provider') {
    const { type, effect, answer } = content
    const title = providerWords(effect, answer)
    return { ...common, type, title, details: detail('Answer', answer) }
  }
  const { type, method, path, status, body, answer } = content
  return {
    ...common,
    type,
    title: `${method} ${shortPath(path)}`,
    text: actionIn(answer),
    badge: String(status),
    tone: toneOf(status),
    details: [...detail('Body', body), ...detail('Answer', answer)],
  }
}

/** The attempts, the oldest first. */
export const webhookEntries = (webhook: SentWebhook): readonly TimelineEntry[] =>
  webhook.attempts.map((attempt) => webhookEntry(webhook, attempt))

const webhookEntry = ({ id, event, body }: SentWebhook, attempt: SentAttempt): TimelineEntry => {
  const { n, startedAt, status, error, errorReason, request, response } = attempt
  const { headers, isSignatureRight } = attempt
  const signature = isSignatureRight ? 'valid' : 'wrong'
  const texts = [isSignatureRight !== null && `signature ${signature}`, request?.url, errorReason]
  return {
    ...PLAIN,
    id: `webhook-${id}-${n}`,
    at: instant(startedAt),
    type: 'webhook',
    title: `Webhook ${event === 'ipn' ? 'IPN' : event}`,
    text: texts.filter(Boolean).join(' · '),
    badge: status === null ? (error ?? 'lost') : String(status),
    tone: toneOf(status),
    details: [
      ...detail('Signature', isSignatureRight === null ? null : signature),
      ...detail('Headers', headers),
      ...detail('Body', body && fieldsIn(body)),
      ...detail('Answer of the shop', response),
    ],
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

export const readUpcoming =
  (host: SandboxServices['host']) =>
  async (order: Order): Promise<readonly UpcomingEntry[]> =>
    upcomingOf(order, await value(explainOrder(host)(order)), host.clock.now())

/**
 * What happens next to an order, in the words of a developer: the attempts of its requests, and the
 * timers that change it if nobody acts before.
 */
export const upcomingOf = (
  order: Order,
  { awaits, ahead }: Pick<Explanation, 'awaits' | 'ahead'>,
  now: number,
): readonly UpcomingEntry[] => {
  const entries: UpcomingEntry[] = []
  const add = (at: number, title: string, ...texts: readonly string[]) =>
    entries.push({ at: instant(at), title, text: texts.join(' · ') })
  const whenText = (at: number) => (at <= now ? 'now' : `in ${countdown(at - now)}`)

  for (const { job, what, isInFlight, nextAt, until, lastAttempt } of awaits) {
    const at = isInFlight || what === 'job.retried' ? now : nextAt
    // The order goes on without an attempt that would start later.
    if (job === null || at === null || (until !== null && at > until)) continue
    const attempt = lastAttempt === null ? [] : [`attempt ${lastAttempt.failed + 1}`]
    const texts = what === 'job.retried' ? [STUCK_TEXT] : [whenText(at), ...attempt]
    add(at, jobWords(laneOfKey(job)), ...texts)
  }
  const { placed, state } = order
  for (const { event, job, at, isLatest, state: next } of ahead) {
    const lane = laneOfKey(job)
    if (event !== 'timer.fired' && (lane !== 'ipn' || placed.notifyUrl !== null)) continue
    const end = next.checkout === state.checkout ? undefined : ENDS[next.checkout]
    const text = isLatest ? 'once the shop has answered the IPN' : whenText(at)
    add(at, end ?? jobWords(lane), text)
  }
  return entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

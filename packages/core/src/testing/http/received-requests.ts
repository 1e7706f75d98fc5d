// Turns the requests that a merchant's receiver got about an order into entries of a trace.
import type { EventName } from '../../delivery/attempt.ts'
import { hexHmac } from '../hmac.ts'
import type {
  AttemptOutcome,
  HistoryEntry,
  MerchantAnswer,
  MerchantRequest,
  TraceEntry,
} from '../trace/trace.ts'
import { fieldsOf, jsonOf } from '../trace/trace-queries.ts'
import { callsTo, type ReceivedRequest, type Subject } from './subject.ts'

type Attempt = {
  readonly n: number
  readonly trigger: string
  readonly started_at: string
  readonly outcome: string | null
}
type Delivery = {
  readonly id: string
  readonly event: MerchantRequest['event']
  readonly attempts: readonly Attempt[]
}

const headersOf = ({ headers }: ReceivedRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
  )

const keyOf = (request: ReceivedRequest): string =>
  headersOf(request)['webhook-id'] ?? `${request.path} ${request.body}`

const eventOf = ({ path: to, body }: ReceivedRequest): MerchantRequest['event'] => {
  if (to.endsWith('/ipn')) return 'ipn'
  const name = fieldsOf(jsonOf(body)).event ?? new URLSearchParams(body).get('event')
  return (name ?? 'denied') as EventName
}

/**
 * The `seq` of the history line that created a request, if its `Webhook-Id` has our format;
 * otherwise 0.
 */
const creatingSeq = (key: string): number => Number(/^[^:]+:(\d+):/.exec(key)?.[1] ?? 0)

type RequestContext = {
  readonly key: string
  readonly n: number
  readonly delivery: Delivery | undefined
  readonly attempt: Attempt | undefined
}

type Exchange = {
  readonly request: MerchantRequest
  readonly answer: MerchantAnswer
  readonly outcome: AttemptOutcome | null
}

/**
 * Merges lines and requests into their necessary order. A request comes after the line that created
 * it, and before later lines of the same or a later instant, because its answer may have caused
 * them.
 */
export const mergeInOrder = (
  lines: readonly HistoryEntry[],
  exchanges: readonly Exchange[],
): readonly TraceEntry[] => {
  const entries: TraceEntry[] = []
  let waiting = [...exchanges].sort((a, b) => a.request.at - b.request.at)
  const take = (isDue: (exchange: Exchange) => boolean): void => {
    for (const { request, answer, outcome } of waiting.filter(isDue))
      entries.push(request, answer, ...(outcome === null ? [] : [outcome]))
    waiting = waiting.filter((exchange) => !isDue(exchange))
  }
  for (const line of lines) {
    take(({ request }) => creatingSeq(request.key) < line.seq && request.at <= line.at)
    entries.push(line)
  }
  take(() => true)
  return entries
}

type ReceivedRequestsParts = {
  readonly subject: Subject
  readonly orderRef: string
  /** The path of the merchant's addresses. */
  readonly path: string
  readonly secret: string
  readonly now: () => Promise<number>
}

/**
 * Each call returns the requests that are new since the last call and whose answers have been
 * judged.
 */
export const receivedRequests = ({
  subject,
  orderRef,
  path,
  secret,
  now,
}: ReceivedRequestsParts): (() => Promise<readonly Exchange[]>) => {
  const { receiver, merchant } = subject
  const calls = callsTo(subject)
  const handledIndexes = new Set<number>()

  const exchangeOf = async (
    to: string,
    request: ReceivedRequest,
    { key, n, delivery, attempt }: RequestContext,
  ): Promise<Exchange> => {
    const at = attempt === undefined ? await now() : Date.parse(attempt.started_at)
    const headers = headersOf(request)
    const { trigger = 'schedule', outcome } = attempt ?? {}
    const { status, body } = request.answer
    return {
      request: {
        part: 'request',
        at,
        key,
        event: delivery?.event ?? eventOf(request),
        n,
        trigger: trigger === 'resend' || trigger === 'recover' ? trigger : 'schedule',
        url: `${to}${request.path}`,
        contentType: (headers['content-type'] ?? '').split(';')[0] ?? '',
        body: request.body,
        headers,
        signature: await hexHmac(secret, request.body),
      },
      answer: { part: 'answer', at, key, n, status, body },
      outcome:
        outcome === 'accepted' || outcome === 'error'
          ? { part: 'outcome', at, key, n, outcome }
          : null,
    }
  }

  return async () => {
    if (receiver === null) return []
    const ownRequests = receiver.received().filter((request) => request.path.startsWith(`${path}/`))
    if (ownRequests.length === handledIndexes.size) return []
    const { body } = await calls.asMerchant(
      'GET',
      `/merchants/${merchant.ref}/deliveries?order_ref=${orderRef}`,
    )
    const deliveries = new Map(
      (Array.isArray(body) ? (body as readonly Delivery[]) : []).map((each) => [each.id, each]),
    )
    const counts = new Map<string, number>()
    const exchanges: Exchange[] = []
    for (const [index, request] of ownRequests.entries()) {
      const key = keyOf(request)
      const n = (counts.get(key) ?? 0) + 1
      counts.set(key, n)
      const delivery = deliveries.get(key)
      const attempt = delivery?.attempts.find((each) => each.n === n)
      // An attempt is taken once it is listed, because then its answer has been judged.
      if (handledIndexes.has(index) || (delivery && typeof attempt?.outcome !== 'string')) continue
      handledIndexes.add(index)
      exchanges.push(await exchangeOf(receiver.url, request, { key, n, delivery, attempt }))
    }
    return exchanges
  }
}

// The merchants that receive every IPN and event: honest, erratic, lying or absent. The answers of each are drawn from the
// stream of its order.
import { type HttpRequest, type HttpResult, sign, verifyStandardWebhook } from '@plazo/adapters/http'
import { WEEK } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { SeededRandom } from '../harness/seeded-random.ts'
import type { EventLog } from './event-log.ts'
import type { FaultLevels } from './fault-levels.ts'
import type { Network } from './network.ts'
import type { Plan } from './order-plan.ts'
import type { Scheduler } from './scheduler.ts'

export type SentRequest = {
  readonly at: number
  readonly order: number
  readonly path: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly fields: Readonly<Record<string, string>>
}

type Reply = { readonly status: number; readonly body?: string; readonly retryAfter?: string }
type Fate = Reply | 'hangs' | 'breaks'

const json = (body: unknown, status = 200): Reply => ({ status, body: JSON.stringify(body) })
const accepted: Reply = { status: 200, body: '' }

/** All possible answers to an IPN. */
const IPN_FATES: readonly [Fate, ...Fate[]] = [
  { status: 200 },
  { status: 201 },
  { status: 204 },
  { status: 301 },
  { status: 404 },
  { status: 500 },
  { status: 503, retryAfter: '120' },
  { status: 503, retryAfter: 'soon' },
  { status: 409 },
  { status: 410 },
  'hangs',
  'breaks',
]

/** All possible answers to an informative event. */
const EVENT_FATES: readonly [Fate, ...Fate[]] = [
  { status: 200 },
  { status: 202 },
  { status: 204 },
  { status: 302 },
  { status: 303 },
  { status: 404 },
  { status: 410 },
  { status: 500 },
  { status: 501 },
  { status: 429, retryAfter: '99999999' },
  'hangs',
  'breaks',
]

/** Every answer of contract §6, including hostile ones. */
const CANCEL_FATES: readonly [Fate, ...Fate[]] = [
  json({ result: 'cancelled' }),
  json({ result: 'cancelled' }, 302),
  json({ result: 'toolate', late_by: 7 }),
  json({ result: 'toolate', minutes: 0 }, 202),
  json({ result: 'toolate' }),
  json({ result: 'toolate', a: 1, b: 2 }),
  json({ result: 'retry', retry_in: 1 }),
  json({ result: 'retry', retry_in: 60 }),
  json({ result: 'retry', retry_in: 1440 }),
  json({ result: 'retry', retry_in: '30' }),
  json({ result: 'retry', retry_in: 0 }),
  json({ result: 'retry', retry_in: 1441 }),
  json({ result: 'retry', retry_in: 5.5 }),
  json({ result: 'retry' }),
  json({ result: 'Cancelled' }),
  json({ result: 'maybe' }),
  json({}),
  json([{ result: 'cancelled' }]),
  json('cancelled'),
  json(null),
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

const failed = (error: 'timeout' | 'connection_reset' | 'connection_refused'): HttpResult =>
  E.left({ _tag: 'RequestFailure', error, message: error })

// A week has 24 slots. The same number again allows for attempts lost in a crash and for resends.
const ATTEMPTS_AT_MOST = 2 * WEEK.length

/** How many other answers an erratic merchant gives before it accepts. */
const MOODS = 6

type MerchantsParts = {
  readonly scheduler: Scheduler
  readonly faultLevels: FaultLevels
  readonly eventLog: EventLog
  readonly network: Network
  readonly secret: string
  readonly onSent: (request: SentRequest) => void
  readonly planOf: (order: number) => Plan | undefined
  readonly drawOf: (order: number) => SeededRandom
  /** The merchant's own `PUT` with this state. */
  readonly put: (order: number, orderRef: string, state: 'confirmed' | 'on_hold') => Promise<unknown>
}

/** `exchange` belongs to one process: when it ends, it never learns the results of requests in flight. */
export const merchantsOf = (parts: MerchantsParts) => {
  const { scheduler, faultLevels, eventLog, network, secret, onSent, planOf, drawOf, put } = parts
  const sent: SentRequest[] = []
  const moods = new Map<string, number>()
  const attempted = new Map<string, number>()

  const isErratic = (key: string): boolean => {
    const shown = (moods.get(key) ?? 0) + 1
    moods.set(key, shown)
    return shown <= MOODS && !faultLevels.isCalm
  }

  const ipnFate = async (plan: Plan, draw: SeededRandom, fields: Readonly<Record<string, string>>): Promise<Fate> => {
    const wanted = fields.sq_state === 'needs_review' ? 'on_hold' : 'confirmed'
    const orderRef = fields.order_ref ?? ''
    switch (plan.ipn) {
      case 'moody':
        return isErratic(`ipn ${plan.number}`) ? draw.pick(IPN_FATES) : accepted
      case 'conflicts':
        return { status: draw.below(2) === 0 ? 409 : 410 }
      case 'down':
        return { status: 503 }
      case 'puts': {
        const isWrong = draw.below(5) === 0
        await put(plan.number, orderRef, isWrong ? 'on_hold' : wanted)
        if (draw.below(3) === 0) await put(plan.number, orderRef, wanted)
        return isErratic(`ipn ${plan.number}`) ? draw.pick(IPN_FATES) : accepted
      }
      default:
        return accepted
    }
  }

  const eventFate = (plan: Plan, draw: SeededRandom, event: string): Fate => {
    if (plan.events === 'down') return { status: 503 }
    if (event === 'cancel') {
      const isHostile = plan.events === 'moody' ? isErratic(`cancel ${plan.number}`) : draw.below(4) === 0
      return isHostile && !faultLevels.isCalm ? draw.pick(CANCEL_FATES) : json({ result: 'cancelled' })
    }
    return plan.events === 'moody' && isErratic(`${event} ${plan.number}`) ? draw.pick(EVENT_FATES) : accepted
  }

  const checkSignature = (request: SentRequest): void => {
    const { headers } = request
    const id = headers['webhook-id'] ?? ''
    const given = headers['x-service-signature']
    if (given !== sign(secret, request.body))
      eventLog.reportViolation('signature', request.order, `${id} is signed with ${given}.`)
    const message = { id, timestamp: Number(headers['webhook-timestamp']), body: request.body }
    if (!verifyStandardWebhook([secret], message, headers['webhook-signature'] ?? ''))
      eventLog.reportViolation('signature', request.order, `${id} has a Webhook-Signature that is not the merchant’s.`)
  }

  const exchange = async ({ url, headers, body, deadline }: HttpRequest): Promise<HttpResult> => {
    const [, kind = '', number = ''] = url.pathname.split('/')
    const order = Number(number)
    const plan = planOf(order)
    if (plan === undefined) return failed('connection_refused')
    const draw = drawOf(order)
    const isJson = headers['Content-Type'] === 'application/json'
    const fields = isJson ? (JSON.parse(body) as Record<string, string>) : Object.fromEntries(new URLSearchParams(body))
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const id = lower['webhook-id'] ?? ''
    const event = kind === 'ipn' ? 'ipn' : (fields.event ?? '')
    const request: SentRequest = {
      at: scheduler.now(),
      order,
      path: url.pathname,
      url: url.href,
      headers: lower,
      body,
      fields,
    }
    sent.push(request)
    onSent(request)
    const attempts = (attempted.get(id) ?? 0) + 1
    attempted.set(id, attempts)
    if (attempts > ATTEMPTS_AT_MOST)
      eventLog.reportViolation('attempts come to an end', order, `${id} is sent for the ${attempts}th time.`)
    checkSignature(request)
    eventLog.count('requests to merchants', event)
    eventLog.log(order, `${event} is sent, ${lower['webhook-id']?.split(':').slice(1).join(':')}`)

    const overdue = new Promise<HttpResult>((resolve) =>
      deadline.addEventListener('abort', () => resolve(failed('timeout'))),
    )
    const answering = async (): Promise<HttpResult> => {
      await scheduler.sleep(network.latency(draw))
      if (network.loses(draw)) {
        eventLog.count('faults', 'a webhook was lost')
        return failed('connection_refused')
      }
      const fate = kind === 'ipn' ? await ipnFate(plan, draw, fields) : eventFate(plan, draw, event)
      await scheduler.sleep(network.latency(draw) + (draw.below(12) === 0 ? 20_000 * draw.next() : 0))
      const isHeard = typeof fate === 'object' && !network.loses(draw)
      eventLog.log(
        order,
        `${event} is answered ${typeof fate === 'object' ? `${fate.status} ${fate.body ?? ''}` : fate}${isHeard ? '' : ', which is not heard'}`,
      )
      if (fate === 'hangs') {
        eventLog.count('faults', 'a merchant hung')
        return overdue
      }
      if (!isHeard) {
        eventLog.count('faults', 'a merchant’s answer was lost')
        return failed('connection_reset')
      }
      return E.right({ status: fate.status, retryAfter: fate.retryAfter ?? null, body: fate.body ?? '' })
    }
    return Promise.race([answering(), overdue])
  }

  return { exchange, sent: sent as readonly SentRequest[] }
}

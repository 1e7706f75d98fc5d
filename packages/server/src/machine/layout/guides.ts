// Answers "How do I get here?" for every state: the fewest steps, and the surnames of the sandbox's shopper who takes them. The
// steps come from a search through the order's own rules, so they cannot name a way that does not exist.
import { TRIGGERS, type Trigger } from '@plazo/adapters/sandbox'
import {
  DEFAULT_RULES,
  historyLine,
  type Order,
  type OrderEvent,
  type Placed,
  type Terms,
  wireNames,
} from '@plazo/core'
import { alongShortestPaths } from '@plazo/core/testing'
import { findOrderPath, type MachineMap, type PathLine } from '../order-path.ts'
import type { Guide } from '../state-card.ts'
import { stepWords } from './step-words.ts'

const link = () => 'http://plazo.test'

export const TERMS: Terms = {
  rules: DEFAULT_RULES,
  links: { wait: link, pay: link, payWithCard: link, verify: link, cancellationRequest: link },
  names: wireNames('Service', 'sq_state'),
}

export const PLACED: Placed = {
  orderRef: 'U',
  placedAt: 1_700_000_000_000,
  merchant: {
    ref: 'shop',
    account: 'shops',
    country: null,
    products: ['i1', 'pp3', 'fp1'],
    optionalFields: [],
    sendsActionEvents: false,
  },
  notifyUrl: 'http://shop.test/ipn',
  notificationParameters: {},
  returnUrl: 'http://shop.test/back',
  eventsWebhook: { url: 'http://shop.test/events', parameters: {} },
  currency: 'EUR',
  total: 12_100,
  language: 'es-ES',
  productCode: null,
}

/** The events of an order, in words too, and the history that they made. */
type Trace = {
  readonly events: readonly OrderEvent[]
  readonly steps: readonly string[]
  readonly lines: readonly PathLine[]
}

const NEW_ORDER: Trace = { events: [], steps: [], lines: [] }

const SHORT_WAIT_MILLIS = 1_000

const tracesOf = (): readonly Trace[] => {
  const traces = new Map<Order, Trace>()
  alongShortestPaths(PLACED, TERMS, ({ before, event, moment, result }) => {
    // A reference that another order has is no event, so no step could say it.
    if (result.journal.length === 0 || moment.referenceIsTaken || traces.has(result.order)) return
    const { events, steps, lines } = traces.get(before) ?? NEW_ORDER
    const waited = moment.at - before.context.updatedAt
    traces.set(result.order, {
      events: [...events, event],
      steps: [...steps, ...(waited > SHORT_WAIT_MILLIS ? [`Wait ${waited / 1_000} s.`] : []), ...stepWords(event)],
      lines: [...lines, ...result.journal.map(historyLine)],
    })
  })
  return [...traces.values()].sort((one, other) => one.steps.length - other.steps.length)
}

type Answers = Pick<Trigger, 'surnames' | 'screened' | 'session' | 'risk' | 'cancels'>

/** Any other surnames. */
const ANYBODY: Answers = {
  surnames: '',
  screened: { outcome: 'approved', alternative: null },
  session: null,
  risk: 'low_risk',
  cancels: false,
}

/** True if the sandbox's providers can do this for a shopper with these surnames. */
const isAnsweredTo = ({ screened, session, risk, cancels }: Answers, event: OrderEvent): boolean => {
  switch (event.type) {
    case 'screening.resolved':
      return screened?.outcome === event.outcome && (screened.alternative === null) === (event.alternative === null)
    case 'timer.fired':
      return screened === null || !event.timer.startsWith('screeningWindow')
    case 'session.reported':
      return session === null || session === event.status
    case 'risk.assessed':
      return risk === event.level
    case 'cancellation.advised':
      return cancels
    case 'session.unavailable':
    case 'payment.unavailable':
      return false
    default:
      return true
  }
}

const reachedBy = (map: MachineMap, lines: readonly PathLine[]): readonly string[] => {
  const last = findOrderPath(map, lines).at(-1)
  return [...(last?.active ?? []), ...(last?.arrows ?? []).flatMap((arrow) => arrow.split(' ').slice(1))]
}

/** By state. Without a shopper, no surnames take the way: a provider must fail. */
export const guidesOf = (map: MachineMap): ReadonlyMap<string, Guide> => {
  const starts = ['checkout.open.identifying', 'risk.unassessed', 'cancellation.none']
  const guides = new Map<string, Guide>(starts.map((id) => [id, { trigger: '', steps: [] }]))
  const shoppers = [ANYBODY, ...TRIGGERS]
  for (const { events, steps, lines } of tracesOf()) {
    const reached = reachedBy(map, lines).filter((id) => (guides.get(id)?.trigger ?? null) === null)
    if (reached.length === 0) continue
    const shopper = shoppers.find((each) => events.every((event) => isAnsweredTo(each, event)))
    const guide = { trigger: shopper?.surnames ?? null, steps }
    for (const id of reached) if (!guides.has(id) || guide.trigger !== null) guides.set(id, guide)
  }
  return guides
}

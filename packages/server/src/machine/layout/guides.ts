// Answers "How do I get here?" for every state: the fewest steps, and the surnames of the sandbox's shopper who takes them. The
// steps come from a search through the order's own rules, so they cannot name a way that does not exist.
import { TRIGGERS, type Trigger } from '@plazo/adapters/sandbox'
import { historyLine, type Order, type OrderEvent, type Placed, type Terms, wireNames } from '@plazo/core'
import { alongShortestPaths } from '@plazo/core/testing'
import { orderAt, termsOf } from '../../openapi/examples.ts'
import type { Guide, GuideStep } from '../machine-data.ts'
import { findOrderPath, type MachineMap, type PathLine } from '../order-path.ts'
import { stepOf, UNANSWERED } from './step-words.ts'

const SETTING = { names: wireNames('Service', 'sq_state'), baseUrl: 'http://plazo.test', isSandbox: true }

export const TERMS: Terms = termsOf(SETTING)

const { placed } = orderAt(SETTING, 'identifying')

export const PLACED: Placed = {
  ...placed,
  merchant: { ...placed.merchant, products: ['i1', 'pp3', 'fp1'] },
  notifyUrl: 'http://shop.test/ipn',
  eventsWebhook: { url: 'http://shop.test/events', parameters: {} },
  productCode: null,
}

/** The events of an order, in words too, the history that they made, and the requests that it awaits in the end, by lane. */
type Trace = {
  readonly events: readonly OrderEvent[]
  readonly steps: readonly GuideStep[]
  readonly lines: readonly PathLine[]
  readonly pending: Readonly<Record<string, string>>
}

const SHORT_WAIT_MILLIS = 1_000

const tracesOf = (): readonly Trace[] => {
  const traces = new Map<Order, Trace>()
  alongShortestPaths(PLACED, TERMS, ({ before, event, stepInput, result }) => {
    if (traces.size === 0) traces.set(before, { events: [], steps: [], lines: [], pending: {} })
    const trace = traces.get(before)
    // A reference that another order has is no event, so no step could say it. Nor can any step after it.
    const isSaid = trace !== undefined && !stepInput.referenceIsTaken
    if (!isSaid || result.journal.length === 0 || traces.has(result.order)) return
    const { events, steps, lines } = trace
    const waited = stepInput.at - before.context.updatedAt
    const wait = { words: `Wait ${waited / 1_000} s.`, event: null, value: null }
    traces.set(result.order, {
      events: [...events, event],
      steps: [...steps, ...(waited > SHORT_WAIT_MILLIS ? [wait] : []), stepOf(event)],
      lines: [...lines, ...result.journal.map(historyLine)],
      pending: result.order.context.pending,
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

/** True if the order stays where it is for this shopper: no provider answers what it awaits. */
const staysFor = ({ screened, session }: Answers, { pending }: Trace): boolean =>
  ('screening' in pending && screened === null) || ('session' in pending && session === null)

/** The lane in which a region's resting state asks the shop. */
const SHOP_LANES: { readonly [region: string]: string } = { checkout: 'ipn', cancellation: 'cancel' }

/** By state. Without a shopper, no surnames take the way: a provider must fail. */
export const guidesOf = (map: MachineMap): ReadonlyMap<string, Guide> => {
  const starts = ['checkout.open.identifying', 'risk.unassessed', 'cancellation.none']
  const guides = new Map<string, Guide>(starts.map((id) => [id, { trigger: '', steps: [] }]))
  const shoppers = [ANYBODY, ...TRIGGERS]
  for (const trace of tracesOf()) {
    const { active = [], arrows = [] } = findOrderPath(map, trace.lines).at(-1) ?? {}
    const reached = [...active, ...arrows.flatMap((arrow) => arrow.split(' ').slice(1))]
    const able = shoppers.filter((shopper) => trace.events.every((event) => isAnsweredTo(shopper, event)))
    const trigger = (able.find((shopper) => staysFor(shopper, trace)) ?? able[0])?.surnames ?? null
    for (const id of reached.filter((each) => (guides.get(each)?.trigger ?? null) === null)) {
      const lane = SHOP_LANES[id.split('.')[0] ?? ''] ?? ''
      const unanswered = active.includes(id) && lane in trace.pending ? UNANSWERED[lane] : undefined
      const steps = unanswered === undefined ? trace.steps : [...trace.steps, unanswered]
      if (!guides.has(id) || trigger !== null) guides.set(id, { trigger, steps })
    }
  }
  return guides
}

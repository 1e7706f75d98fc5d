// Answers "How do I get here?" for every state: the fewest steps, and the surnames of the sandbox's
// shopper who takes them. The steps come from a search through the order's own rules, so they
// cannot name a way that does not exist.
import { TRIGGERS, type Trigger, triggerOf } from '@plazo/adapters/internal/sandbox'
import {
  DEFAULT_RULES,
  historyLine,
  type Order,
  type OrderEvent,
  type Placed,
  type Terms,
  wireNames,
} from '@plazo/core/internal'
import { alongShortestPaths } from '@plazo/core/testing'
import { linksFrom } from '@plazo/server/internal'
import { orderAt } from '../../../packages/server/src/api/docs/openapi/examples.ts'
import type { Guide, GuideStep } from '../../../packages/server/src/api/machine/machine-data.ts'
import {
  findOrderPath,
  type MachineMap,
  type PathLine,
} from '../../../packages/server/src/api/machine/order-path.ts'
import { stepOf, UNANSWERED } from './step-words.ts'

const BASE_URL = 'http://plazo.test'

const TERMS: Terms = {
  rules: DEFAULT_RULES,
  links: linksFrom(BASE_URL),
  names: wireNames('Service', 'sq_state'),
}

const { placed } = orderAt('identifying')

const PLACED: Placed = {
  ...placed,
  merchant: { ...placed.merchant, products: ['i1', 'pp3', 'fp1'] },
  notifyUrl: 'http://shop.test/ipn',
  eventsWebhook: { url: 'http://shop.test/events', parameters: {} },
  productCode: null,
}

/** One order of the search. */
type Trace = {
  readonly events: readonly OrderEvent[]
  /** The events in words. */
  readonly steps: readonly GuideStep[]
  /** Its history. */
  readonly lines: readonly PathLine[]
  /** The keys of the answers that it awaits at the end, by lane. */
  readonly pending: Readonly<Record<string, string>>
}

const SHORT_WAIT_MILLIS = 1_000

const tracesOf = (): readonly Trace[] => {
  const traces = new Map<Order, Trace>()
  alongShortestPaths(PLACED, TERMS, ({ before, event, stepInput, result }) => {
    if (traces.size === 0) traces.set(before, { events: [], steps: [], lines: [], pending: {} })
    const trace = traces.get(before)
    // No step of a guide can make another order take the reference, so paths through that are left
    // out.
    if (trace === undefined || stepInput.referenceIsTaken) return
    if (result.journal.length === 0 || traces.has(result.order)) return
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

/** How the sandbox's providers answer for a shopper with these surnames. */
type Shopper = Pick<Trigger, 'surnames' | 'screened' | 'session' | 'risk' | 'cancels'>

/** True if this event can happen to the shopper's order in the sandbox. */
const canHappenTo = ({ screened, session, risk, cancels }: Shopper, event: OrderEvent): boolean => {
  switch (event.type) {
    case 'screening.resolved':
      return (
        screened?.outcome === event.outcome &&
        (screened.alternative === null) === (event.alternative === null)
      )
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

/** True if the shopper's order stays where it is, because no provider answers what it awaits. */
const staysFor = ({ screened, session }: Shopper, { pending }: Trace): boolean =>
  ('screening' in pending && screened === null) || ('session' in pending && session === null)

/** The lane in which a region asks the shop. */
const SHOP_LANES: { readonly [region: string]: string } = {
  checkout: 'ipn',
  cancellation: 'cancel',
}

/**
 * The guides by state. A way that some shopper takes replaces a shorter one that no shopper can
 * take.
 */
export const guidesOf = (map: MachineMap): ReadonlyMap<string, Guide> => {
  const starts = ['checkout.open.identifying', 'risk.unassessed', 'cancellation.none']
  const guides = new Map<string, Guide>(starts.map((id) => [id, { trigger: '', steps: [] }]))
  // The first has surnames that are no trigger.
  const shoppers: readonly Shopper[] = [triggerOf(''), ...TRIGGERS]
  for (const trace of tracesOf()) {
    const { active = [], arrows = [] } = findOrderPath(map, trace.lines).at(-1) ?? {}
    const reached = [...active, ...arrows.flatMap((arrow) => arrow.split(' ').slice(1))]
    const candidates = shoppers.filter((shopper) =>
      trace.events.every((event) => canHappenTo(shopper, event)),
    )
    const trigger =
      (candidates.find((shopper) => staysFor(shopper, trace)) ?? candidates[0])?.surnames ?? null
    for (const id of reached.filter((each) => (guides.get(each)?.trigger ?? null) === null)) {
      const lane = SHOP_LANES[id.split('.')[0] ?? ''] ?? ''
      const unanswered = active.includes(id) && lane in trace.pending ? UNANSWERED[lane] : undefined
      const steps = unanswered === undefined ? trace.steps : [...trace.steps, unanswered]
      if (!guides.has(id) || trigger !== null) guides.set(id, { trigger, steps })
    }
  }
  return guides
}

// The journeys of a cluster run: shoppers with fixed paths, who repeat requests without an answer,
// because a server may disappear at any moment. Each journey remembers the answers, so that the
// servers can be checked against them.
import { setTimeout as pause } from 'node:timers/promises'
import { type Ledger, wrongFieldsIn } from '../../harness/ledger/ledger.ts'
import type { MerchantRef } from '../../harness/merchants.ts'
import type { MerchantsOnSockets } from '../../harness/merchants-on-sockets.ts'
import type { SeededRandom } from '../../harness/seeded-random.ts'
import {
  type Answered,
  type ClientRequest,
  fetchOptions,
  type Habits,
  type OrderPlan,
  requestsOf,
  walk,
} from '../../harness/shopper.ts'
import type { Path } from './paths.ts'

export type Journey = {
  readonly plan: OrderPlan
  /** Of its path, for the messages. */
  readonly name: string
  /** Empty until a 204 has named it. */
  orderRef: string
  /** True once its client asks nothing more. */
  hasEnded: boolean
  /** The last answer, to diagnose a stranded shopper. */
  last: string
}

export type JourneyContext = {
  readonly ask: Client
  readonly onViolation: (what: string) => void
  readonly merchants: MerchantsOnSockets
  readonly draw: SeededRandom
  /**
   * Requests during which the server died. Each of those that were to place an order may have
   * placed it.
   */
  readonly count: { lost: number; unansweredPlaces: number }
  /** Stops every shopper where they are. */
  readonly isClosed: () => boolean
  /** Milliseconds between two polls, at least; at most twice as many. */
  readonly pollsAfter: number
}

const INSTALMENTS = { i1: 1, pp3: 3, sp1: 3, fp1: 1 }
const RETRY_AFTER = 30

/** Fast, so that many requests are in flight when something fails. */
export const RESTLESS = 30

const planOf = ({ name: _, ...path }: Path, number: number, merchant: MerchantRef): OrderPlan => ({
  ...path,
  number,
  merchant,
  reference: `N-${number}`,
  birthDay: '02',
  instalments: INSTALMENTS[path.product],
  total: 12_100,
})

// A decision or an Order Update may have arrived without its answer. A second one is then rejected.
const isExpected = ({ method, path }: ClientRequest, status: number): boolean =>
  status === 200 ||
  (path === '/orders' && status === 204) ||
  (path.startsWith('/console/') && status === 409) ||
  (method === 'PUT' && path.startsWith('/merchants/') && status === 404) ||
  // The forms of cards and ID sessions refuse what came before.
  path.startsWith('/sandbox/')

/** The habits of a path: nothing is drawn. */
const habitsOf = (
  path: Path,
  { plan }: Journey,
): Pick<
  Habits,
  | 'errs'
  | 'wrongFields'
  | 'otherPerson'
  | 'usesMasterCode'
  | 'usesSavedCard'
  | 'card'
  | 'challenge'
  | 'session'
  | 'confirms'
> => {
  const cardOf = new Map<string, Path['cards'][number]>()
  const statusOf = new Map<string, Path['sessions'][number]>()
  return {
    errs: () => false,
    wrongFields: () => ({}),
    otherPerson: () => 2 * plan.number + 1,
    usesMasterCode: () => path.code === 'master',
    usesSavedCard: () => false,
    card: (url) => {
      const card =
        cardOf.get(url) ?? path.cards[Math.min(cardOf.size, path.cards.length - 1)] ?? path.cards[0]
      cardOf.set(url, card)
      return card
    },
    challenge: () => 'success',
    session: (url) => {
      const status = statusOf.get(url) ?? path.sessions[statusOf.size] ?? null
      if (status !== null) statusOf.set(url, status)
      return status
    },
    confirms: () => path.ipn === 'absent',
  }
}

/** Takes one order along a path to its end, no matter what happens to the server. */
export const startJourney = (
  { ask, onViolation, merchants, draw, count, isClosed, pollsAfter }: JourneyContext,
  path: Path,
  number: number,
  merchant: MerchantRef,
): { readonly journey: Journey; readonly finished: Promise<void> } => {
  const plan = planOf(path, number, merchant)
  const journey: Journey = {
    plan,
    name: path.name,
    orderRef: '',
    last: 'placing',
    hasEnded: false,
  }
  const requests = requestsOf(plan)
  let isDone = path.afterwards === null

  const askAndRemember = async (request: ClientRequest): Promise<Answered | null> => {
    const answered = await ask(request, {
      onLost: () => {
        count.lost += 1
        if (request.path === '/orders') count.unansweredPlaces += 1
      },
    })
    if (answered === null) return null
    const wrong = wrongFieldsIn(answered.body).filter((field) => field !== 'validation_code')
    if (wrong.length > 0 || !isExpected(request, answered.status))
      onViolation(
        `${journey.orderRef} (${path.name}): ${request.method} ${request.path} answered ${answered.status}: ${JSON.stringify(answered.body)}`,
      )
    return answered
  }

  const isOver = (action: string): boolean =>
    ['reject', 'show_error', 'show_conflict', path.leavesAt].includes(action) ||
    (action === 'finish' && isDone)

  const habits: Habits = {
    ...habitsOf(path, journey),
    placesAgain: async () => {
      await pause(RETRY_AFTER)
      return !isClosed()
    },
    waitForNewCode: () => pause(RETRY_AFTER),
    pause: async () => {
      await pause(pollsAfter + draw.below(pollsAfter))
    },
    goesOn: () => !isClosed(),
    onPlaced: (orderRef) => {
      journey.orderRef = orderRef
    },
    leavesAt: async (action, orderRef) => {
      journey.last = action
      if (isOver(action)) return true
      const afterwards = action === 'finish' ? requests.afterwards(orderRef) : null
      if (action === 'show_on_hold') await askAndRemember(requests.decide(orderRef, path.review))
      if (afterwards !== null) isDone = (await askAndRemember(afterwards)) !== null
      return false
    },
  }

  const finish = async (): Promise<void> => {
    await walk(plan, askAndRemember, habits, merchants.urlOf(number))
    journey.hasEnded = !isClosed()
  }
  return { journey, finished: finish() }
}

const PATIENCE = 30_000

type ClientOptions = {
  readonly url: string
  /** Hears every answer. */
  readonly ledger: Ledger
  /** Sends a request, if there are several servers. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Called with a description of something that no client may ever see. */
  readonly onViolation: (what: string) => void
}

/**
 * `onLost`: called if the request may have arrived without a response. `patience`: milliseconds a
 * running server has.
 */
type AskOptions = { readonly onLost?: () => void; readonly patience?: number }

/**
 * Resolves to null if no complete response arrived: the server was not running, or died during the
 * request.
 */
type Client = (request: ClientRequest, options?: AskOptions) => Promise<Answered | null>

const parseJson = (text: string): Answered['body'] | null => {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Answered['body']
  } catch {
    return null
  }
}

const isConnectionRefused = ({ cause }: TypeError): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'

export const openClient =
  ({ url, ledger, fetch = globalThis.fetch, onViolation }: ClientOptions): Client =>
  async (request, { onLost, patience = PATIENCE } = {}) => {
    const hear = ledger.listen(request)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => {
        onViolation(
          `A request had no answer within ${patience / 1000} s, from a server that was there.`,
        )
        resolve(null)
      }, patience)
    })
    const answer = async (): Promise<Answered | null> => {
      try {
        const response = await fetch(`${url}${request.path}`, fetchOptions(request))
        const body = parseJson(await response.text())
        // Too many reads may wait for a database that is away.
        if (response.status === 503 || response.status === 429) return null
        if (response.status >= 500) onViolation(`${response.url} answered ${response.status}.`)
        return body && { status: response.status, location: response.headers.get('location'), body }
      } catch (cause) {
        // Fetch reports a broken connection as a TypeError; anything else is a mistake in this
        // file.
        if (!(cause instanceof TypeError)) throw cause
        if (!isConnectionRefused(cause)) onLost?.()
        return null
      }
    }
    const received = await Promise.race([answer(), timeout])
    clearTimeout(timer)
    hear(received)
    return received
  }

// The book of a run: what clients were told about each order, and how each journal looked before.
// Nothing that was answered or stored may be lost or changed, no matter which server answered and
// what happened to it afterwards. At the end the book is closed: everything that follows from the
// journals was done once, and nothing else was done (`reconcile.ts`).
import { metaOf, nameOnWire, type OrderState } from '@plazo/core/internal'
import type { ReceivedRequest } from '@plazo/core/internal/testing'
import type { HistoryLineOnWire } from '../shop.ts'
import type { Answered, ClientRequest } from '../shopper.ts'
import { type Reconciliation, reconcile } from './reconcile.ts'
import { termsAt } from './replay.ts'
import type { DatabaseSnapshot, Line, StoredRow } from './snapshot.ts'

export type Ledger = {
  /** Call it with each request of a client, and the result with its answer. */
  readonly listen: (request: ClientRequest) => (answered: Answered | null) => void
  /** True if a client was told about the order that the path names. */
  readonly knows: (path: string) => boolean
  /** How many facts all clients were told. */
  readonly factCount: () => number
  /**
   * Notes what the clients know now. The result compares a later snapshot with it, and with the
   * snapshot before. It returns one sentence for each fault.
   */
  readonly remember: () => (snapshot: DatabaseSnapshot) => readonly string[]
  /** Compares everything with the database of a stopped server whose orders are all at rest. */
  readonly close: (
    snapshot: DatabaseSnapshot,
    received: readonly Pick<ReceivedRequest, 'headers' | 'body'>[],
    baseUrl: string,
  ) => Reconciliation
}

/** `of`: the form that reported the event. */
type Fact =
  | { readonly type: 'wait' | 'identification'; readonly action: string }
  | { readonly type: 'state'; readonly state: HistoryLineOnWire['to'] }
  | { readonly type: 'event'; readonly event: string; readonly of: string }

/**
 * `since`: how many facts about all orders the clients knew when they asked, and `number` when they
 * were answered. A form repeats its result, so its fact may be as old as its first request.
 */
type HeardFact = { readonly fact: Fact; readonly since: number; readonly number: number }

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

const PAYMENT_EVENTS: Readonly<Record<string, string>> = {
  'Service.payment_successful': 'payment.succeeded',
  'Service.payment_failed': 'payment.failed',
}

/** The fields of a form that an answer calls wrong. */
export const wrongFieldsIn = ({ errors }: Answered['body']): readonly string[] =>
  typeof errors === 'object' && errors !== null && !Array.isArray(errors) ? Object.keys(errors) : []

/** The form of a payment or an ID session. A page of 3-D Secure belongs to the form of its payment. */
const formOf = (path: string): string => path.split('/').slice(0, 5).join('/')

/** The fact about its order that an answer contains. */
const factIn = ({ path }: ClientRequest, { status, body }: Answered): Fact | null => {
  const action = String(body.action ?? '')
  const event = PAYMENT_EVENTS[action]
  const of = formOf(path)
  if (event !== undefined) return { type: 'event', event, of }
  if (status !== 200) return null
  if (path.endsWith('/wait')) return { type: 'wait', action }
  if (path.endsWith('/identification'))
    return wrongFieldsIn(body).length === 0 ? { type: 'identification', action } : null
  if (path.startsWith('/sandbox/verify/')) return { type: 'event', event: 'session.reported', of }
  return 'state' in body ? { type: 'state', state: body.state as HistoryLineOnWire['to'] } : null
}

const stateOf = (text: string): OrderState => {
  const [checkout, risk, cancellation] = text.split(' ')
  return { checkout, risk, cancellation } as OrderState
}

const matchesLine = (fact: Fact, line: Line): boolean => {
  const state = stateOf(line.to)
  const { wait = 'show_error', identification = wait } = metaOf('checkout', state)
  switch (fact.type) {
    case 'wait':
      return fact.action === wait
    case 'identification':
      return fact.action === identification
    case 'event':
      return fact.event === line.event
    case 'state':
      return (
        fact.state.checkout === nameOnWire('checkout', state) &&
        fact.state.risk === nameOnWire('risk', state) &&
        fact.state.cancellation === nameOnWire('cancellation', state)
      )
  }
}

/**
 * Compares what clients were told with the journal. An answer cannot be older than those that were
 * known when it was asked for. Returns the first fact that the journal does not contain.
 */
const firstContradiction = (lines: readonly Line[], facts: readonly HeardFact[]): Fact | null => {
  /** The places in the journal that the facts have reached, from each number on. */
  const reached = [{ number: -1, place: 0 }]
  const placesOfEvents = new Map<number, string>()
  for (const { fact, since, number } of facts) {
    const from = reached.findLast((known) => known.number < since)?.place ?? 0
    const place = lines.findIndex(
      (line, index) =>
        index >= from &&
        matchesLine(fact, line) &&
        (fact.type !== 'event' || (placesOfEvents.get(index) ?? fact.of) === fact.of),
    )
    if (place < 0) return fact
    if (fact.type === 'event') placesOfEvents.set(place, fact.of)
    reached.push({ number, place: Math.max(reached.at(-1)?.place ?? 0, place) })
  }
  return null
}

const textOf = ({ seq, at, event, detail, from, to, input }: Line): string =>
  JSON.stringify([seq, at, event, detail, from, to, input])

type LedgerOptions = {
  /**
   * True: shoppers also use forms that others have replaced. Such a form may call a payment failed,
   * or take an identity, and nothing follows.
   */
  readonly hasOldForms?: boolean
}

export const openLedger = ({ hasOldForms = false }: LedgerOptions = {}): Ledger => {
  const factsOf = new Map<string, HeardFact[]>()
  const seenOf = new Map<number, readonly string[]>()
  const formsFirstAskedSince = new Map<string, number>()
  let factCount = 0

  const knownSince = (path: string): number => {
    if (!/^\/sandbox\/(?:pay|verify)\//.test(path)) return factCount
    const since = formsFirstAskedSince.get(formOf(path)) ?? factCount
    formsFirstAskedSince.set(formOf(path), since)
    return since
  }

  const factsAbout = (orderRef: string): HeardFact[] => {
    const facts = factsOf.get(orderRef) ?? []
    factsOf.set(orderRef, facts)
    return facts
  }

  const check = (
    snapshot: DatabaseSnapshot,
    known: ReadonlyMap<string, readonly HeardFact[]>,
  ): readonly string[] => {
    const rows = snapshot.orders
    const ids = new Set(rows.map(({ id }) => id))
    const refs = new Set(rows.map(({ orderRef }) => orderRef))
    const gone = [
      ...[...seenOf.keys()]
        .filter((id) => !ids.has(id))
        .map((id) => `The order in row ${id} is gone.`),
      ...[...known.keys()]
        .filter((ref) => !refs.has(ref))
        .map((ref) => `${ref} was confirmed by an answer, and is gone.`),
    ]
    return [...gone, ...rows.flatMap((row) => rowFaults(snapshot, row, known))]
  }

  const rowFaults = (
    snapshot: DatabaseSnapshot,
    row: StoredRow,
    known: ReadonlyMap<string, readonly HeardFact[]>,
  ): readonly string[] => {
    const { id, orderRef } = row
    const facts = known.get(orderRef) ?? []
    const former = seenOf.get(id) ?? []
    const lines = snapshot.lines(id)
    const texts = lines.map(textOf)
    seenOf.set(id, texts)
    const untrue = firstContradiction(lines, facts)
    return [
      ...(former.every((line, index) => line === texts[index])
        ? []
        : [
            `${orderRef}: its journal had ${former.length} lines, and they are not those of now (${lines.length}).`,
          ]),
      ...(untrue === null
        ? []
        : [`${orderRef}: received ${JSON.stringify(untrue)}, of which its journal knows nothing.`]),
    ]
  }

  return {
    listen: (request) => {
      const [asked = ''] = UUID.exec(request.path) ?? []
      const since = knownSince(request.path)
      return (answered) => {
        if (answered === null) return
        const toldFact = factIn(request, answered)
        const isFromOldForm =
          hasOldForms && toldFact?.type === 'event' && toldFact.event !== 'payment.succeeded'
        const fact = isFromOldForm ? null : toldFact
        // A merchant's own reference names no order; the answer does.
        const orderRef = asked === '' ? String(answered.body.order_ref ?? '') : asked
        if (orderRef !== '' && fact !== null) {
          factsAbout(orderRef).push({ fact, since, number: factCount })
          factCount += 1
        }
        const [placed] = UUID.exec(answered.location ?? '') ?? []
        if (request.path === '/orders' && placed !== undefined) factsAbout(placed)
      }
    },
    knows: (path) => factsOf.has(UUID.exec(path)?.[0] ?? ''),
    factCount: () => factCount,
    remember: () => {
      const factsNow = new Map([...factsOf].map(([orderRef, facts]) => [orderRef, [...facts]]))
      return (snapshot) => check(snapshot, factsNow)
    },
    close: (snapshot, received, baseUrl) => {
      const account = reconcile(snapshot, received, termsAt(baseUrl))
      return { ...account, faults: [...check(snapshot, factsOf), ...account.faults] }
    },
  }
}

// Wraps what a host is made of, so that a trace is written of whatever runs on it: a store, the deciders, the gateway.
// Nothing is changed on the way; what is wrapped need not know.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { historyLine } from '../checkout/show-order.ts'
import type { EventName } from '../delivery/acceptance.ts'
import type { Effect } from '../order/effect.ts'
import { waitAction } from '../order/next-action.ts'
import type { Order } from '../order/order.ts'
import { decodeStored, encodePlaced, encodeSnapshot } from '../order/snapshot.ts'
import { type Step, step } from '../order/step.ts'
import type { Terms } from '../order/terms.ts'
import type { Clock } from '../ports/clock.ts'
import type { Deciders } from '../ports/deciders.ts'
import { outcomeOf } from '../ports/deliveries.ts'
import type { MerchantGateway } from '../ports/merchant-gateway.ts'
import type { Decide, Entry, Store } from '../ports/store.ts'
import type { Part, Seen, Stepped, Trace } from './trace.ts'

/** Where it is written down: `null` is what concerns every order, such as time. */
export type Notebook = {
  readonly note: (orderRef: string | null, seen: Seen) => void
  readonly seenOf: (orderRef: string) => readonly Seen[]
  readonly clear: () => void
}

export const notebook = (): Notebook => {
  const all: { readonly orderRef: string | null; readonly seen: Seen }[] = []
  return {
    note: (orderRef, seen) => void all.push({ orderRef, seen }),
    seenOf: (orderRef) =>
      all.flatMap((each) => (each.orderRef === null || each.orderRef === orderRef ? [each.seen] : [])),
    clear: () => void all.splice(0),
  }
}

/** What a host over a store of this process sees, when everything it is made of is recorded. */
export const HOST_OBSERVES: readonly Part[] = [
  'submission',
  'poll',
  'line',
  'step',
  'cause',
  'replay',
  'work',
  'sent',
  'heard',
  'judged',
  'message',
  'payment',
  'decided',
  'merchant',
  'operator',
  'clock',
  'idle',
  'instant',
]

/** The trace of one order; `observes` is what this source can see. */
export const traceOf = (
  { seenOf }: Notebook,
  { placed }: Pick<Order, 'placed'>,
  { rules, names }: Terms,
  observes: readonly Part[] = HOST_OBSERVES,
): Trace => ({ placed, rules, names, observes, seen: seenOf(placed.orderRef), twin: null })

export type Recorded = { readonly terms: Terms; readonly clock: Clock; readonly notes: Notebook }

const throughStorage = (order: Order): Order => {
  const stored = { placed: encodePlaced(order.placed), revision: order.revision, snapshot: encodeSnapshot(order) }
  const read = decodeStored(stored)
  if (E.isLeft(read)) throw new Error(`An order cannot be read as it was stored: ${read.left.join(' ')}`)
  return read.right
}

// Told again, event by event, from the order's stored form: what a later process would make of the same journal.
const toldAgain = (terms: Terms, before: Order | null, { journal }: Step): Stepped['again'] => {
  if (before === null) return null
  let order = throughStorage(before)
  const effects: Effect[] = []
  for (const { input } of journal) {
    if (input === null) continue
    const made = step(terms)(order, input.event, input.moment)
    if (E.isLeft(made)) return null
    effects.push(...made.right.effects)
    order = throughStorage(made.right.order)
  }
  return { order, effects }
}

/** `cause`: whatever the store is asked to do while it returns something else than null. */
export const recordingStore = (
  { terms, notes }: Recorded,
  store: Store,
  cause: () => string | null = () => null,
): Store => {
  const noteStep = (before: Order | null, made: Step, from: string | null): void => {
    const [line] = made.journal
    if (line === undefined) return
    const { orderRef } = made.order.placed
    const at = made.order.context.updatedAt
    const wait = waitAction(made.order, terms, at)
    notes.note(orderRef, { part: 'step', at, cause: from, before, made, wait, again: toldAgain(terms, before, made) })
    for (const each of made.journal) notes.note(orderRef, { part: 'line', ...historyLine(each), at: each.at })
  }

  // The last decision is the one that was committed.
  const watched = <E, A>(decide: Decide<E, A>) => {
    const last: { before: Order | null; made: Step | null } = { before: null, made: null }
    const watching: Decide<E, A> = (order, referenceIsTaken) => {
      const decided = decide(order, referenceIsTaken)
      last.before = order
      last.made = E.isRight(decided) ? decided.right.step : null
      return decided
    }
    return { watching, note: (from: string | null) => last.made && noteStep(last.before, last.made, from) }
  }

  return {
    ...store,
    place: (made, payload) =>
      pipe(
        store.place(made, payload),
        TE.tapIO(() => () => noteStep(null, made, cause())),
      ),
    step: (orderRef, decide) => {
      const { watching, note } = watched(decide)
      const from = cause()
      return pipe(
        store.step(orderRef, watching),
        TE.tapIO(() => () => note(from)),
      )
    },
    claim: (request) =>
      pipe(
        store.claim(request),
        TE.tapIO((entries) => () => {
          for (const { orderRef, key, startedAt } of entries)
            notes.note(orderRef, { part: 'work', at: startedAt, key, what: 'begun', dueAt: null })
        }),
      ),
    settle: (entry, conclusion, decide, report) => {
      const { orderRef, key } = entry
      const decision = decide === null ? null : watched(decide)
      const what = conclusion.type === 'ended' ? conclusion.as : 'again'
      return pipe(
        store.settle(entry, conclusion, decision === null ? null : decision.watching, report),
        TE.tapIO((settled) => () => {
          if (settled === 'settled') decision?.note(key)
          const { startedAt: at, work, attempt: n } = entry as Entry
          const isDelivery = work.kind === 'ipn' || work.kind === 'event'
          if (isDelivery) notes.note(orderRef, { part: 'judged', at, key, n, outcome: outcomeOf(conclusion) })
          const dueAt = settled === 'settled' && conclusion.type === 'again' ? conclusion.dueAt : null
          notes.note(orderRef, { part: 'work', at, key, what: settled === 'settled' ? what : settled, dueAt })
        }),
      )
    },
  }
}

const EVENTS: { readonly [lane: string]: (body: string) => EventName | 'ipn' } = {
  ipn: () => 'ipn',
  cancel: () => 'cancel',
  action: () => 'identification_action',
  notice: (body) => (new URLSearchParams(body).get('event') ?? 'denied') as EventName,
}

/** The order and the lane that an effect's key tells of. */
const partsOf = (key: string): { readonly orderRef: string; readonly lane: string } => {
  const [orderRef = '', , ...lane] = key.split(':')
  return { orderRef, lane: lane.join(':') }
}

/** What leaves through a gateway, and what comes back. Headers and signatures are the sender's: they are not seen here. */
export const recordingGateway = ({ clock, notes }: Recorded, gateway: MerchantGateway): MerchantGateway => {
  const attempts = new Map<string, number>()
  return {
    post: (request) => {
      const { id: key, url, contentType, body } = request
      const { orderRef, lane } = partsOf(key)
      const heard = (n: number, status: number | null, answer: string | null) => () =>
        notes.note(orderRef, { part: 'heard', at: clock.now(), key, n, status, body: answer })
      return pipe(
        TE.fromIO(() => {
          const n = (attempts.get(key) ?? 0) + 1
          attempts.set(key, n)
          const event = EVENTS[lane]?.(body) ?? 'denied'
          const sent = {
            key,
            event,
            n,
            trigger: 'schedule' as const,
            url,
            contentType,
            body,
            headers: {},
            signature: null,
          }
          notes.note(orderRef, { part: 'sent', at: clock.now(), ...sent })
          return n
        }),
        TE.chain((n) =>
          pipe(
            gateway.post(request),
            TE.tapIO(({ status, body: answer }) => heard(n, status, answer)),
            TE.tapError(() => TE.fromIO(heard(n, null, null))),
          ),
        ),
      )
    },
  }
}

export const recordingDeciders = ({ clock, notes }: Recorded, deciders: Deciders): Deciders => {
  const decided = (orderRef: string, by: 'screening' | 'identity' | 'risk' | 'watch', said: string): void =>
    notes.note(orderRef, { part: 'decided', at: clock.now(), by, said })
  const { screening, sms, identity, payments, risk } = deciders
  return {
    screening: {
      screen: (asked) =>
        pipe(
          screening.screen(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer') decided(asked.orderRef, 'screening', reply.answer.outcome)
          }),
        ),
    },
    sms: {
      send: (asked) =>
        pipe(
          sms.send(asked),
          TE.tapIO((reply) => () => {
            const { to, text, code } = asked.work
            if (reply.type === 'answer')
              notes.note(asked.orderRef, { part: 'message', at: clock.now(), to, text, code })
          }),
        ),
    },
    identity: {
      open: (asked) =>
        pipe(
          identity.open(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer' && reply.answer?.type === 'reported')
              decided(asked.orderRef, 'identity', reply.answer.status)
          }),
        ),
    },
    payments: {
      ...payments,
      void: (asked) =>
        pipe(
          payments.void(asked),
          TE.tapIO((reply) => () => {
            const { payment } = asked.work
            if (reply.type === 'answer')
              notes.note(asked.orderRef, { part: 'payment', at: clock.now(), payment, what: 'voided' })
          }),
        ),
      refund: (asked) =>
        pipe(
          payments.refund(asked),
          TE.tapIO((reply) => () => {
            const { payment } = asked.work
            if (reply.type === 'answer')
              notes.note(asked.orderRef, { part: 'payment', at: clock.now(), payment, what: 'refunded' })
          }),
        ),
    },
    risk: {
      assess: (asked) =>
        pipe(
          risk.assess(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer') decided(asked.orderRef, 'risk', reply.answer)
          }),
        ),
      watch: (asked) =>
        pipe(
          risk.watch(asked),
          TE.tapIO((reply) => () => {
            if (reply.type === 'answer' && reply.answer !== null)
              decided(asked.orderRef, 'watch', String(reply.answer.cancelIn))
          }),
        ),
    },
  }
}

// Records what is observed of every order, as traces for the core's invariants. Observations that
// the database did not keep do not count: a step whose commit failed, or an answer during which the
// process died.
import { sign } from '@plazo/adapters/http'
import { historyLine, type Order, type Step, type Terms, waitAction } from '@plazo/core'
import type { Part } from '@plazo/core/internal/testing'
import type { EventName } from '@plazo/core/ports'
import { examine, INVARIANTS, type TraceEntry } from '@plazo/core/testing'
import { SECRET } from '../../harness/merchants.ts'
import type { Answered } from '../../harness/shopper.ts'
import type { EventLog } from './event-log.ts'
import type { SentRequest } from './merchants.ts'
import type { Request } from './network.ts'

type CollectedEntry = { readonly orderRef: string; readonly entry: TraceEntry; isDoubtful: boolean }

export type TraceFault = {
  readonly law: string
  readonly orderRef: string
  readonly sentence: string
}

export type TraceCollector = {
  /** `isDoubtful`: until it is known that the database kept it. */
  readonly collect: (orderRef: string, entry: TraceEntry, isDoubtful?: boolean) => CollectedEntry
  /**
   * Returns a function to call once the request is answered. A request during which the process
   * died may have had its effect unobserved.
   */
  readonly noteRequest: (request: Request) => () => void
  readonly answered: (
    request: Request,
    answer: Answered,
    askedAt: number,
    at: number,
    id: number,
  ) => void
  readonly noteDelivery: (request: SentRequest, at: number) => void
  /** How often a delivery was sent. */
  readonly attemptsOf: (key: string) => number
  readonly step: (before: Order | null, result: Step) => void
  /**
   * `wasSetBack`: true if the clock was ever set back. `storedLines`: the stored steps, from the
   * journals, as `<order_ref> <seq> <at> <event>`.
   */
  readonly judge: (
    orders: readonly Order[],
    storedLines: ReadonlySet<string>,
    at: number,
    wasSetBack: boolean,
  ) => readonly TraceFault[]
}

const OBSERVED: readonly Part[] = [
  'submission',
  'poll',
  'line',
  'step',
  'request',
  'signature',
  'answer',
  'outcome',
  'idle',
  'answer_time',
]

// Closure, attribute exactness, terminal absorption, and finish has its reasons.
const OF_ANSWERS = INVARIANTS.filter(({ number }) => [1, 2, 6, 7].includes(number))

// If the clock is set back, a countdown rises and does not match the clock. The laws of answers
// limit how far.
const COUNTDOWNS = [
  'a countdown is whole, not negative, and never grows',
  'a countdown is the deadline minus now, in seconds, rounded up',
]

const CHECKOUT = /^\/api\/v1\/checkout\/([^/]+)\/(identification|wait)$/

const eventOf = (key: string, body: string): EventName | 'ipn' => {
  const lane = key.slice(key.lastIndexOf(':') + 1)
  if (lane === 'ipn') return 'ipn'
  return lane === 'action'
    ? 'identification_action'
    : (new URLSearchParams(body).get('event') as EventName)
}

export const lineKey = (orderRef: string, seq: number, at: number, event: string): string =>
  `${orderRef} ${seq} ${at} ${event}`

export const createTraceCollector = (terms: Terms, eventLog: EventLog): TraceCollector => {
  const all: CollectedEntry[] = []
  const attempts = new Map<string, number>()
  const unanswered = new Map<string, number>()

  const collect: TraceCollector['collect'] = (orderRef, entry, isDoubtful = false) => {
    const collected = { orderRef, entry, isDoubtful }
    all.push(collected)
    return collected
  }

  // If a step was decided several times, the last decision counts.
  const lastDecisions = (
    notes: readonly CollectedEntry[],
    storedLines: ReadonlySet<string>,
  ): readonly CollectedEntry[] => {
    const last = new Map<string, CollectedEntry>()
    const keyOf = ({ orderRef, entry }: CollectedEntry): string | null => {
      if (entry.part === 'line') return lineKey(orderRef, entry.seq, entry.at, entry.event)
      const line = entry.part === 'step' ? entry.step.journal[0] : undefined
      return line === undefined ? null : `step ${lineKey(orderRef, line.seq, line.at, line.event)}`
    }
    for (const each of notes) {
      const key = keyOf(each)
      if (key !== null) last.set(key, each)
    }
    return notes.filter((each) => {
      const key = keyOf(each)
      return key === null
        ? !each.isDoubtful
        : last.get(key) === each && storedLines.has(key.replace(/^step /, ''))
    })
  }

  return {
    collect,
    noteRequest: ({ path }) => {
      const [, orderRef = ''] = CHECKOUT.exec(path) ?? []
      unanswered.set(orderRef, (unanswered.get(orderRef) ?? 0) + 1)
      return () => void unanswered.set(orderRef, (unanswered.get(orderRef) ?? 0) - 1)
    },
    answered: ({ path, body }, answer, askedAt, at, id) => {
      const [, orderRef = '', endpoint] = CHECKOUT.exec(path) ?? []
      if (endpoint === undefined || answer.status !== 200) return
      const common = { askedAt, at, id: String(id), answer }
      if (endpoint === 'wait') collect(orderRef, { part: 'poll', ...common })
      else
        collect(orderRef, {
          part: 'submission',
          ...common,
          body: (body ?? {}) as Readonly<Record<string, unknown>>,
          wrongFields: null,
        })
    },
    noteDelivery: ({ headers, url, body }, at) => {
      const key = headers['webhook-id'] ?? ''
      const n = (attempts.get(key) ?? 0) + 1
      attempts.set(key, n)
      collect(key.slice(0, key.indexOf(':')), {
        part: 'request',
        at,
        key,
        event: eventOf(key, body),
        n,
        trigger: 'schedule',
        url,
        contentType: headers['content-type'] ?? '',
        body,
        headers,
        signature: sign(SECRET, body),
      })
    },
    attemptsOf: (key) => attempts.get(key) ?? 0,
    step: (before, result) => {
      if (result.journal.length === 0) return
      const { orderRef } = result.order.placed
      const at = result.order.context.updatedAt
      collect(orderRef, {
        part: 'step',
        at,
        cause: null,
        before,
        step: result,
        wait: waitAction(result.order, terms, at),
        replayed: null,
      })
      for (const line of result.journal)
        collect(orderRef, { part: 'line', ...historyLine(line), at: line.at })
    },
    judge: (orders, storedLines, at, wasSetBack) => {
      const notes = Map.groupBy(all, ({ orderRef }) => orderRef)
      return orders.flatMap(({ placed }): readonly TraceFault[] => {
        const entries = lastDecisions(notes.get(placed.orderRef) ?? [], storedLines).map(
          (each) => each.entry,
        )
        const { rules, names } = terms
        const trace = {
          placed,
          rules,
          names,
          observes: unanswered.get(placed.orderRef)
            ? OBSERVED.filter((part) => part !== 'submission')
            : OBSERVED,
          entries: [...entries, { part: 'idle', at } as const],
          twin: null,
        }
        const { violations, checked } = examine(trace, INVARIANTS)
        // Every answer that was observed must keep to its table and to the order's end, even if
        // another was lost.
        const ofAnswers = examine({ ...trace, observes: OBSERVED }, OF_ANSWERS)
        for (const claim of checked) eventLog.count('invariants judged', claim)
        return [...violations, ...ofAnswers.violations]
          .filter(({ clause }) => !wasSetBack || !COUNTDOWNS.includes(clause))
          .map(
            ({ invariant, clause, sentence }): TraceFault => ({
              law: `${invariant}: ${clause}`,
              orderRef: placed.orderRef,
              sentence,
            }),
          )
      })
    },
  }
}

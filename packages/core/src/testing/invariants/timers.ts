// The effects of time on an order: the screening's countdown, and the timers that are armed and
// cancelled.

import type { Order, OrderEvent } from '../../order/order.ts'
import {
  type CommittedStep,
  entriesOf,
  type FormSubmission,
  type Trace,
  type TraceEntry,
  type WaitPoll,
} from '../trace/trace.ts'
import { actionOf, fieldsOf, isSameJson, isValidForm, SECOND } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstEntry, firstOf, type Invariant } from './invariant.ts'

const countdownOf = (each: TraceEntry): number | null => {
  if (each.part !== 'poll' && each.part !== 'submission') return null
  const { action, expires_in, expires_in_seconds } = fieldsOf(each.answer.body)
  if (action !== 'wait_for_screening') return null
  return Number((each.part === 'poll' ? expires_in : expires_in_seconds) ?? Number.NaN)
}

const startsScreening = (each: TraceEntry): boolean =>
  each.part === 'line' && each.to.checkout === 'screening' && each.from.checkout !== 'screening'

const countsDown = (trace: Trace): Finding | null => {
  let before: number | null = null
  return firstEntry((each) => {
    if (startsScreening(each)) before = null
    const seconds = countdownOf(each)
    if (seconds === null) {
      if (each.part === 'poll') before = null
      return null
    }
    if (!Number.isSafeInteger(seconds) || seconds < 0) return `The countdown says ${seconds}.`
    if (before !== null && seconds > before)
      return `The countdown went from ${before} up to ${seconds}.`
    before = seconds
    return null
  })(trace)
}

const isDeadlineMinusNow = (trace: Trace): Finding | null => {
  let deadline = Number.NaN
  return firstEntry((each) => {
    if (startsScreening(each)) deadline = each.at + trace.rules.screeningWindow
    const seconds = countdownOf(each)
    if (seconds === null) return null
    const leftAt = (at: number): number => Math.max(0, Math.ceil((deadline - at) / SECOND))
    const { at, askedAt = at } = each as WaitPoll | FormSubmission
    return seconds < leftAt(at) || seconds > leftAt(askedAt)
      ? `The countdown says ${seconds}, and ${leftAt(at)} s are left, rounded up.`
      : null
  })(trace)
}

// A result and the expiry can each end a screening. The second of them must change nothing.
const endsOnce = (trace: Trace): Finding | null => {
  let isOpen = false
  return firstOf('step', (each) => {
    const { checkout } = each.step.order.state
    for (const { event, from, to } of each.step.journal) {
      const ends =
        event === 'screening.resolved' || (event === 'timer.fired' && from.checkout === 'screening')
      if (ends && from.checkout !== to.checkout && !isOpen)
        return `${event} ended a screening that had ended.`
    }
    const outcome = each.step.order.context.screening.outcome
    const before = each.before?.context.screening
    if (
      before?.outcome != null &&
      before.rounds === each.step.order.context.screening.rounds &&
      outcome !== before.outcome &&
      outcome !== null
    )
      return `A screening that had ended ${before.outcome} ended ${outcome} as well.`
    isOpen = checkout === 'screening'
    return null
  })(trace)
}

export const screeningCountdown: Invariant = {
  number: 12,
  name: 'screening countdown',
  section: 'Contract §4, Screening',
  clauses: [
    {
      claim: 'a countdown is whole, not negative, and never grows',
      needs: ['submission', 'poll'],
      check: countsDown,
    },
    {
      claim: 'a countdown is the deadline minus now, in seconds, rounded up',
      needs: ['submission', 'poll', 'line', 'answer_time'],
      check: isDeadlineMinusNow,
    },
    {
      claim: 'a screening ends once: by its result or by its expiry',
      needs: ['step'],
      check: endsOnce,
    },
  ],
}

const resumeIsSticky = (trace: Trace): Finding | null => {
  const lifetimeEnd = trace.placed.placedAt + trace.rules.checkoutLifetime - SECOND
  let isResuming = false
  return firstEntry((each) => {
    if (each.part === 'submission' && isValidForm(each)) isResuming = false
    if (each.part !== 'poll') return null
    const action = actionOf(each)
    const isOver = action === 'show_error' && each.at >= lifetimeEnd
    const hasMoved = isResuming && action !== 'resume_after_screening' && !isOver
    isResuming = action === 'resume_after_screening'
    return hasMoved
      ? `After resume_after_screening, and without a form, wait answered ${action}.`
      : null
  })(trace)
}

export const resumeSticky: Invariant = {
  number: 13,
  name: 'resume is sticky',
  section: 'Interface §4.2',
  clauses: [
    {
      claim:
        'resume_after_screening stays until a form is taken in, or the checkout’s time is over',
      needs: ['submission', 'poll'],
      check: resumeIsSticky,
    },
  ],
}

const isTimer = (lane: string): boolean => lane.startsWith('timer.')

/** The timers that an order awaits: the key of each, by its lane. */
const timersOf = (order: Order | null): readonly (readonly [string, string])[] =>
  Object.entries(order?.context.pending ?? {}).filter(([lane]) => isTimer(lane))

/** Judges each timer that fired. `isArmed`: the order awaited it. */
const firstFired = (
  judge: (
    fired: Extract<OrderEvent, { type: 'timer.fired' }>,
    isArmed: boolean,
    step: CommittedStep,
    trace: Trace,
  ) => string | null,
) =>
  firstOf('step', (each, trace) => {
    for (const { input } of each.step.journal) {
      if (input?.event.type !== 'timer.fired') continue
      const key = input.event.inReplyTo
      const isArmed = timersOf(each.before).some(([, armed]) => armed === key)
      const sentence = judge(input.event, isArmed, each, trace)
      if (sentence !== null) return sentence
    }
    return null
  })

const staleTimersDoNothing = firstFired(({ timer, inReplyTo }, isArmed, { step }) =>
  !isArmed &&
  (step.effects.length > 0 || step.journal.some(({ from, to }) => !isSameJson(from, to)))
    ? `${timer} fired by ${inReplyTo}, which is not armed, and did something.`
    : null,
)

const timersKeepTheirTime = firstFired(({ timer, inReplyTo }, isArmed, { at }, trace) => {
  const dueAt = entriesOf(trace, 'step')
    .flatMap(({ step }) => step.effects)
    .find((effect) => effect.type === 'do' && effect.key === inReplyTo)
  return isArmed && dueAt?.type === 'do' && at < dueAt.dueAt
    ? `${timer} fired ${(dueAt.dueAt - at) / SECOND} s before its time.`
    : null
})

export const noStaleTimer: Invariant = {
  number: 14,
  name: 'no stale timer',
  section: 'docs/architecture.md, Time',
  clauses: [
    {
      claim: 'a timer that is not the one armed now, or has fired, does nothing but leave a line',
      needs: ['step'],
      check: staleTimersDoNothing,
    },
    { claim: 'a timer never fires before its time', needs: ['step'], check: timersKeepTheirTime },
  ],
}

const awaitedTimersAreArmed = (trace: Trace): Finding | null => {
  const armed = new Map<string, string>()
  return firstOf('step', ({ step }) => {
    for (const { input } of step.journal)
      if (input?.event.type === 'timer.fired') {
        const { inReplyTo } = input.event
        for (const [lane, key] of armed) if (key === inReplyTo) armed.delete(lane)
      }
    for (const effect of step.effects) {
      if (effect.type === 'revoke') armed.delete(effect.lane)
      if (effect.type === 'do' && isTimer(effect.lane)) armed.set(effect.lane, effect.key)
    }
    const [awaited, left] = [Object.fromEntries(timersOf(step.order)), Object.fromEntries(armed)]
    return isSameJson(awaited, left)
      ? null
      : `The order awaits ${JSON.stringify(awaited)}, and what is armed is ${JSON.stringify(left)}.`
  })(trace)
}

const FINAL_STATES = ['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired']

const finalStateDisarms = firstOf('step', ({ step: { order } }) => {
  const { checkout, cancellation } = order.state
  if (!FINAL_STATES.includes(checkout)) return null
  const lanes = timersOf(order)
    .map(([lane]) => lane)
    .filter((lane) => lane !== 'timer.cancelDelay' || cancellation === 'cancelled')
  return lanes.length > 0
    ? `The order has ended ${checkout}, and ${lanes.join(', ')} is armed.`
    : null
})

/**
 * The comparable part of a history: its lines, requests and messages. It leaves out entries that
 * depend on clock moves.
 */
const outline = ({ entries }: Pick<Trace, 'entries'>): readonly string[] => [
  ...entriesOf({ entries }, 'line').map(
    ({ at, event, to }) => `${at} ${event} ${to.checkout} ${to.risk} ${to.cancellation}`,
  ),
  ...entriesOf({ entries }, 'request').map(
    ({ at, event, key, n, body }) => `${at} ${event} ${key} ${n} ${body}`,
  ),
  ...entriesOf({ entries }, 'message').map(({ at, to }) => `${at} message ${to}`),
]

const splitTimeAgrees = (trace: Trace): Finding | null => {
  const [one, two] = [outline(trace), outline(trace.twin ?? { entries: [] })]
  const at = one.findIndex((each, index) => each !== two[index])
  return at < 0 && one.length === two.length
    ? null
    : findingAt(
        null,
        `In one stretch: ${one[at] ?? 'nothing more'}; in two: ${two[Math.max(at, 0)] ?? 'nothing more'}.`,
      )
}

export const ledger: Invariant = {
  number: 15,
  name: 'ledger of timers',
  section: 'docs/architecture.md, Time',
  clauses: [
    {
      claim: 'the timers an order awaits are those armed and neither cancelled nor fired',
      needs: ['step'],
      check: awaitedTimersAreArmed,
    },
    {
      claim: 'what has ended has no timer of the checkout',
      needs: ['step'],
      check: finalStateDisarms,
    },
    {
      claim: 'time in two stretches does what it does in one',
      needs: ['line', 'request', 'twin'],
      check: splitTimeAgrees,
    },
  ],
}

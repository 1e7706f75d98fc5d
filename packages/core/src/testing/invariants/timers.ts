// The effects of time on an order: the screening's countdown, and the timers that are armed and
// cancelled.

import {
  type CommittedStep,
  entriesOf,
  type FormSubmission,
  type Trace,
  type TraceEntry,
  type WaitPoll,
} from '../trace/trace.ts'
import { actionOf, fieldsOf, isSameJson, isValidForm, SECOND } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstOf, type Invariant } from './invariant.ts'

const countdownOf = (each: TraceEntry): number | null => {
  if (each.part !== 'poll' && each.part !== 'submission') return null
  const { action, expires_in, expires_in_seconds } = fieldsOf(each.answer.body)
  if (action !== 'wait_for_screening') return null
  return Number((each.part === 'poll' ? expires_in : expires_in_seconds) ?? Number.NaN)
}

const countsDown = ({ entries }: Trace): Finding | null => {
  let before: number | null = null
  for (const [index, each] of entries.entries()) {
    if (
      each.part === 'line' &&
      each.to.checkout === 'screening' &&
      each.from.checkout !== 'screening'
    )
      before = null
    const seconds = countdownOf(each)
    if (seconds === null) {
      if (each.part === 'poll') before = null
      continue
    }
    if (!Number.isSafeInteger(seconds) || seconds < 0)
      return findingAt(index, `The countdown says ${seconds}.`)
    if (before !== null && seconds > before)
      return findingAt(index, `The countdown went from ${before} up to ${seconds}.`)
    before = seconds
  }
  return null
}

const isDeadlineMinusNow = ({ entries, rules }: Trace): Finding | null => {
  let deadline = Number.NaN
  for (const [index, each] of entries.entries()) {
    if (
      each.part === 'line' &&
      each.to.checkout === 'screening' &&
      each.from.checkout !== 'screening'
    )
      deadline = each.at + rules.screeningWindow
    const seconds = countdownOf(each)
    if (seconds === null) continue
    const leftAt = (at: number): number => Math.max(0, Math.ceil((deadline - at) / SECOND))
    const { at, askedAt = at } = each as WaitPoll | FormSubmission
    if (seconds < leftAt(at) || seconds > leftAt(askedAt))
      return findingAt(
        index,
        `The countdown says ${seconds}, and ${leftAt(at)} s are left, rounded up.`,
      )
  }
  return null
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

const resumeIsSticky = ({ entries, placed, rules }: Trace): Finding | null => {
  let isResuming = false
  for (const [index, each] of entries.entries()) {
    if (each.part === 'submission' && isValidForm(each)) isResuming = false
    if (each.part !== 'poll') continue
    const action = actionOf(each)
    const isOver =
      action === 'show_error' && each.at >= placed.placedAt + rules.checkoutLifetime - SECOND
    if (isResuming && action !== 'resume_after_screening' && !isOver)
      return findingAt(
        index,
        `After resume_after_screening, and without a form, wait answered ${action}.`,
      )
    isResuming = action === 'resume_after_screening'
  }
  return null
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

type ArmedTimers = ReadonlyMap<string, { readonly key: string; readonly dueAt: number }>

const isTimer = (lane: string): boolean => lane.startsWith('timer.')

/** The armed timers after each step, computed from arming, cancelling and firing. */
const armedAfter = (
  trace: Trace,
): readonly {
  readonly index: number
  readonly step: CommittedStep
  readonly before: ArmedTimers
  readonly armed: ArmedTimers
}[] => {
  let armed: ArmedTimers = new Map()
  return trace.entries.flatMap((step, index) => {
    if (step.part !== 'step') return []
    const before = armed
    const next = new Map(armed)
    for (const { input } of step.step.journal) {
      if (input?.event.type !== 'timer.fired') continue
      const fired = input.event.inReplyTo
      for (const [lane, { key }] of next) if (key === fired) next.delete(lane)
    }
    for (const effect of step.step.effects) {
      if (effect.type === 'revoke') next.delete(effect.lane)
      if (effect.type === 'do' && isTimer(effect.lane))
        next.set(effect.lane, { key: effect.key, dueAt: effect.dueAt })
    }
    armed = next
    return [{ index, step, before, armed }]
  })
}

/**
 * Each timer that fired, with its line and step, and the armed timer that it was; undefined if none
 * was armed under its key.
 */
const firedTimers = (trace: Trace) =>
  armedAfter(trace).flatMap(({ index, step, before }) =>
    step.step.journal.flatMap(({ input, ...line }) => {
      if (input?.event.type !== 'timer.fired') return []
      const { inReplyTo, timer } = input.event
      const armed = [...before.values()].find(({ key }) => key === inReplyTo)
      return [{ index, step, line, at: input.stepInput.at, inReplyTo, timer, armed }]
    }),
  )

const staleTimersDoNothing = (trace: Trace): Finding | null => {
  for (const { index, step, line, inReplyTo, timer, armed } of firedTimers(trace))
    if (armed === undefined && !(isSameJson(line.from, line.to) && step.step.effects.length === 0))
      return findingAt(
        index,
        `${timer} fired by ${inReplyTo}, which is not armed, and did something.`,
      )
  return null
}

const timersKeepTheirTime = (trace: Trace): Finding | null => {
  for (const { index, at, timer, armed } of firedTimers(trace))
    if (armed !== undefined && at < armed.dueAt)
      return findingAt(index, `${timer} fired ${(armed.dueAt - at) / SECOND} s before its time.`)
  return null
}

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
  for (const { index, step, armed } of armedAfter(trace)) {
    const pending = Object.entries(step.step.order.context.pending).filter(([lane]) =>
      isTimer(lane),
    )
    const folded = [...armed].map(([lane, { key }]) => [lane, key] as const)
    if (!isSameJson(Object.fromEntries(pending), Object.fromEntries(folded)))
      return findingAt(
        index,
        `The order awaits ${JSON.stringify(pending)}, and what is armed is ${JSON.stringify(folded)}.`,
      )
  }
  return null
}

const FINAL_STATES = ['confirmed', 'rejected', 'cancelled', 'conflicted', 'failed', 'expired']

const finalStateDisarms = (trace: Trace): Finding | null => {
  for (const { index, step, armed } of armedAfter(trace)) {
    const { checkout, cancellation } = step.step.order.state
    if (!FINAL_STATES.includes(checkout)) continue
    const lanes = [...armed.keys()].filter(
      (lane) => lane !== 'timer.cancelDelay' || cancellation === 'cancelled',
    )
    if (lanes.length > 0)
      return findingAt(index, `The order has ended ${checkout}, and ${lanes.join(', ')} is armed.`)
  }
  return null
}

const nothingDueIsLeft = (trace: Trace): Finding | null => {
  const folds = armedAfter(trace)
  return firstOf('idle', (each, _trace, index) => {
    const armed = folds.findLast((fold) => fold.index < index)?.armed ?? new Map()
    for (const [lane, { dueAt }] of armed)
      if (dueAt <= each.at)
        return `${lane} was due ${(each.at - dueAt) / SECOND} s ago, and has not fired.`
    return null
  })(trace)
}

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
    { claim: 'no timer is left that was due', needs: ['step', 'idle'], check: nothingDueIsLeft },
    {
      claim: 'time in two stretches does what it does in one',
      needs: ['line', 'request', 'twin'],
      check: splitTimeAgrees,
    },
  ],
}

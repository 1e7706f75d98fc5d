// The end of an order: an ended order stays ended, `finish` has its conditions, and a conflict has
// its causes.

import { entriesOf, type FormSubmission, type Trace, type TraceEntry } from '../trace/trace.ts'
import { actionOf, isAnswered, isValidForm, stateAt } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstOf, type Invariant } from './invariant.ts'

/** The final states of orders that the merchant never accepted. */
export const UNCONFIRMED = ['rejected', 'cancelled', 'conflicted', 'failed', 'expired']
const FINAL_ACTIONS: { readonly [action: string]: true | undefined } = {
  reject: true,
  show_conflict: true,
  show_error: true,
}
const SAME_FINAL_ACTION: { readonly [action: string]: readonly string[] | undefined } = {
  reject: ['reject'],
  show_error: ['show_error', 'show_conflict'],
  show_conflict: ['show_conflict', 'show_error'],
}

// Identification answers a conflicted order with show_error, so show_error and show_conflict count
// as the same end.
const finalAnswerStays = ({ entries }: Trace): Finding | null => {
  let end: string | null = null
  for (const [index, each] of entries.entries()) {
    if (!isAnswered(each)) continue
    const action = actionOf(each)
    if (end !== null && SAME_FINAL_ACTION[end]?.includes(action) === false)
      return findingAt(index, `After ${end} the order answered ${action}.`)
    if (end === null && FINAL_ACTIONS[action] === true) end = action
  }
  return null
}

const finalStateStays = firstOf('line', (each) => {
  const { from, to } = each
  if ([...UNCONFIRMED, 'confirmed'].includes(from.checkout) && to.checkout !== from.checkout)
    return `${each.event} led an order on that had ended ${from.checkout}, to ${to.checkout}.`
  if (from.cancellation === 'cancelled' && to.cancellation !== 'cancelled')
    return `${each.event} made a cancelled order's cancellation ${to.cancellation}.`
  return null
})

export const terminalAbsorption: Invariant = {
  number: 6,
  name: 'terminal absorption',
  section: 'Contract §4',
  clauses: [
    {
      claim: 'an ended order keeps answering its end',
      needs: ['submission', 'poll'],
      check: finalAnswerStays,
    },
    {
      claim: 'nothing leads on from an end, or from cancelled',
      needs: ['line'],
      check: finalStateStays,
    },
  ],
}

const firstFinish = ({ entries }: Trace): number =>
  entries.findIndex((each) => isAnswered(each) && actionOf(each) === 'finish')

/** Names the first condition of `finish` that is not met, or null if all are. */
const missingCondition = (trace: Trace, before: readonly TraceEntry[]): string | null => {
  const submitted = before.filter((each): each is FormSubmission => each.part === 'submission')
  if (!submitted.some(isValidForm)) return 'no identification was accepted'
  const payments = before.flatMap((each) => (each.part === 'payment' ? [each.what] : []))
  const wasAsked = before.some((each) => isAnswered(each) && actionOf(each) === 'require_payment')
  if (wasAsked && !payments.includes('succeeded') && lastAnswerIsPayment(before))
    return 'the payment asked for has not succeeded'
  return merchantAccepted(trace, before) ? null : 'the merchant has not taken the order'
}

// A payment voided by another person's submission need not be made, so only the last answer counts.
const lastAnswerIsPayment = (before: readonly TraceEntry[]): boolean => {
  const last = before.findLast(
    (each) =>
      isAnswered(each) &&
      !['finish', 'wait_for_confirmation', 'show_on_hold', 'wait_for_on_hold'].includes(
        actionOf(each),
      ),
  )
  return last !== undefined && isAnswered(last) && actionOf(last) === 'require_payment'
}

const merchantAccepted = ({ names }: Trace, before: readonly TraceEntry[]): boolean => {
  const approved = new Set(
    before.flatMap((each) =>
      each.part === 'request' &&
      each.event === 'ipn' &&
      new URLSearchParams(each.body).get(names.ipnStateParameter) === 'approved'
        ? [each.key]
        : [],
    ),
  )
  return before.some(
    (each) =>
      (each.part === 'answer' &&
        approved.has(each.key) &&
        each.status !== null &&
        each.status >= 200 &&
        each.status < 300) ||
      (each.part === 'merchant' && each.act === 'confirmed' && each.isAccepted),
  )
}

const finishHasConditions = (trace: Trace): Finding | null => {
  const index = firstFinish(trace)
  if (index < 0) return null
  const missing = missingCondition(trace, trace.entries.slice(0, index))
  return missing === null ? null : findingAt(index, `The order finished, and ${missing}.`)
}

const codeWasSubmitted = (trace: Trace): Finding | null => {
  const index = firstFinish(trace)
  if (index < 0) return null
  const before = trace.entries.slice(0, index)
  const codes = new Set([
    ...before.flatMap((each) => (each.part === 'message' ? [each.code] : [])),
    ...(trace.rules.masterCode === null ? [] : [trace.rules.masterCode]),
  ])
  const wasSubmitted = before.some(
    (each) => each.part === 'submission' && codes.has(String(each.body.validation_code)),
  )
  return wasSubmitted
    ? null
    : findingAt(index, 'The order finished, and no code that was sent has been given.')
}

const FORWARD = ['approved', 'review', 'alternative', 'identity']

const providersApproved = (trace: Trace): Finding | null => {
  const index = firstFinish(trace)
  if (index < 0) return null
  const decided = entriesOf({ entries: trace.entries.slice(0, index) }, 'decision')
  const screened = decided.findLast(({ by }) => by === 'screening')?.answer
  if (screened === undefined || !FORWARD.includes(screened))
    return findingAt(index, `The order finished, and screening last said ${screened ?? 'nothing'}.`)
  if (screened !== 'identity') return null
  const identity = decided.findLast(({ by }) => by === 'identity')?.answer
  return identity === 'VERIFIED'
    ? null
    : findingAt(index, `The order finished, and the ID check said ${identity ?? 'nothing'}.`)
}

const finishStays = (trace: Trace): Finding | null => {
  const index = firstFinish(trace)
  if (index < 0) return null
  const later = trace.entries.findIndex(
    (each, at) => at > index && isAnswered(each) && actionOf(each) !== 'finish',
  )
  const answered = trace.entries[later]
  return answered === undefined || !isAnswered(answered)
    ? null
    : findingAt(later, `After finish the order answered ${actionOf(answered)}.`)
}

export const finishReasons: Invariant = {
  number: 7,
  name: 'finish has its reasons',
  section: 'Interface §4.2',
  clauses: [
    {
      claim: 'finish comes after an accepted form, the payments due, and the merchant’s acceptance',
      needs: ['submission', 'poll', 'payment', 'answer', 'merchant'],
      check: finishHasConditions,
    },
    {
      claim: 'finish comes after a code that was sent has been given',
      needs: ['submission', 'poll', 'message'],
      check: codeWasSubmitted,
    },
    {
      claim: 'finish comes after a positive screening, and a positive ID check if one was required',
      needs: ['submission', 'poll', 'decision'],
      check: providersApproved,
    },
    { claim: 'finish stays', needs: ['submission', 'poll'], check: finishStays },
  ],
}

const isRefusal = (status: number | null): boolean => status === 409 || status === 410

/** The last answer to an IPN before this index of the trace. */
const lastIpnAnswer = (
  trace: Trace,
  index: number,
): { readonly status: number | null; readonly index: number } | null => {
  const ipns = new Set(
    entriesOf(trace, 'request').flatMap(({ event, key }) => (event === 'ipn' ? [key] : [])),
  )
  const at = trace.entries.findLastIndex(
    (each, place) => place < index && each.part === 'answer' && ipns.has(each.key),
  )
  const answer = trace.entries[at]
  return answer?.part === 'answer' ? { status: answer.status, index: at } : null
}

const conflictHasCause = firstOf('poll', (each, trace, index) => {
  const last = actionOf(each) === 'show_conflict' ? lastIpnAnswer(trace, index) : null
  // If there was no IPN, the conflict comes from a reference that another order holds.
  return last !== null && !isRefusal(last.status)
    ? `Wait answered show_conflict, and the last answer to the IPN was ${last.status}.`
    : null
})

const refusalIsConflict = firstOf('poll', (each, trace, index) => {
  const last = trace.entries[index - 1]?.part === 'idle' ? lastIpnAnswer(trace, index) : null
  if (last === null || !isRefusal(last.status)) return null
  if (!['confirming', 'holding'].includes(stateAt(trace, last.index).checkout)) return null
  return actionOf(each) === 'show_conflict'
    ? null
    : `The IPN was answered ${last.status}, and wait answers ${actionOf(each)}.`
})

export const conflict: Invariant = {
  number: 8,
  name: 'conflict',
  section: 'Interface §7',
  clauses: [
    {
      claim: 'show_conflict follows an IPN answered 409 or 410',
      needs: ['poll', 'request', 'answer'],
      check: conflictHasCause,
    },
    {
      claim: 'an IPN answered 409 or 410 while the order asks is show_conflict',
      needs: ['poll', 'request', 'answer', 'line', 'idle'],
      check: refusalIsConflict,
    },
  ],
}

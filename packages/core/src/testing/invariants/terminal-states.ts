// The end of an order: an ended order stays ended, `finish` has its conditions, and a conflict has
// its causes.

import { entriesOf, type ProviderDecision, type Trace, type TraceEntry } from '../trace/trace.ts'
import {
  actionOf,
  formOf,
  isAnswered,
  isSuccess,
  isValidForm,
  stateAt,
} from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstEntry, firstOf, type Invariant } from './invariant.ts'

/** The final states of orders that the merchant never accepted. */
export const UNCONFIRMED = ['rejected', 'cancelled', 'conflicted', 'failed', 'expired']

// Identification answers a conflicted order with show_error, so show_error and show_conflict count
// as the same end.
const ENDS: { readonly [action: string]: readonly string[] | undefined } = {
  finish: ['finish'],
  reject: ['reject'],
  show_error: ['show_error', 'show_conflict'],
  show_conflict: ['show_conflict', 'show_error'],
}

const finalAnswerStays = (trace: Trace): Finding | null => {
  let end = ''
  return firstEntry((each) => {
    if (!isAnswered(each)) return null
    const action = actionOf(each)
    if (ENDS[end]?.includes(action) === false) return `After ${end} the order answered ${action}.`
    if (end === '' && ENDS[action] !== undefined) end = action
    return null
  })(trace)
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

const isFinish = (each: TraceEntry): boolean => isAnswered(each) && actionOf(each) === 'finish'

/** Judges what came before the first answer `finish`. `judge` names what is missing, or null. */
const beforeFinish =
  (judge: (before: readonly TraceEntry[], trace: Trace) => string | null) =>
  (trace: Trace): Finding | null => {
    const index = trace.entries.findIndex(isFinish)
    const missing = index < 0 ? null : judge(trace.entries.slice(0, index), trace)
    return missing === null ? null : findingAt(index, `The order finished, and ${missing}.`)
  }

const finishHasConditions = beforeFinish((before, trace) => {
  const submitted = entriesOf({ entries: before }, 'submission')
  if (!submitted.some(isValidForm)) return 'no identification was accepted'
  const isPaid = entriesOf({ entries: before }, 'payment').some(({ what }) => what === 'succeeded')
  if (!isPaid && lastAnswerIsPayment(before)) return 'the payment asked for has not succeeded'
  return merchantAccepted(trace, before) ? null : 'the merchant has not taken the order'
})

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

const merchantAccepted = ({ names }: Trace, entries: readonly TraceEntry[]): boolean => {
  const approved = new Set(
    entriesOf({ entries }, 'request')
      .filter((each) => formOf(each)[names.ipnStateParameter] === 'approved')
      .map(({ key }) => key),
  )
  return entries.some(
    (each) =>
      (each.part === 'answer' && approved.has(each.key) && isSuccess(each.status)) ||
      (each.part === 'merchant' && each.act === 'confirmed' && each.isAccepted),
  )
}

const codeWasSubmitted = beforeFinish((entries, { rules }) => {
  const codes: readonly unknown[] = [
    ...entriesOf({ entries }, 'message').map(({ code }) => code),
    rules.masterCode ?? 'no master code',
  ]
  const isGiven = entriesOf({ entries }, 'submission').some(({ body }) =>
    codes.includes(body.validation_code),
  )
  return isGiven ? null : 'no code that was sent has been given'
})

const FORWARD = ['approved', 'review', 'alternative', 'identity']

const providersApproved = beforeFinish((entries) => {
  const decided = entriesOf({ entries }, 'decision')
  const answerOf = (provider: ProviderDecision['by']): string =>
    decided.findLast(({ by }) => by === provider)?.answer ?? 'nothing'
  const screened = answerOf('screening')
  if (!FORWARD.includes(screened)) return `screening last said ${screened}`
  const identity = answerOf('identity')
  return screened !== 'identity' || identity === 'VERIFIED' ? null : `the ID check said ${identity}`
})

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

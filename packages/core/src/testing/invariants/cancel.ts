// The cancel negotiation as the merchant sees it: when they are asked, how often, and what ends it.

import { entriesOf, type MerchantAnswer, type MerchantRequest, type Trace } from '../trace/trace.ts'
import { DAY, fieldsOf, jsonOf, MINUTE, SECOND, stateAt } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstEntry, firstOf, type Invariant } from './invariant.ts'

type CancelMeaning =
  | { readonly meaning: 'cancelled' | 'toolate' | 'unsupported' | 'error' }
  | { readonly meaning: 'retry'; readonly inMinutes: number }

const wholeMinutes = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^\d{1,4}$/.test(value)
      ? Number(value)
      : Number.NaN

/**
 * The meaning of a merchant's answer to a cancel request, by a second decoder. It is written from
 * interface §6.1 and contract §6, and shares nothing with the code under test.
 */
export const cancelMeaning = ({
  status,
  body,
}: Pick<MerchantAnswer, 'status' | 'body'>): CancelMeaning => {
  if (status === null || body === null || ![200, 201, 202, 302, 307, 501].includes(status))
    return { meaning: 'error' }
  const answer = jsonOf(body.replace(/^\uFEFF/, ''))
  const { result, retry_in } = fieldsOf(answer)
  if (result === 'cancelled' || result === 'toolate') return { meaning: result }
  const inMinutes = wholeMinutes(retry_in)
  if (result === 'retry' && Number.isInteger(inMinutes) && inMinutes >= 1 && inMinutes <= 1440)
    return { meaning: 'retry', inMinutes }
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  return status === 501 && isObject && !Object.hasOwn(answer, 'result')
    ? { meaning: 'unsupported' }
    : { meaning: 'error' }
}

const WEEK = 7 * DAY

const isQuestion = (request: MerchantRequest): boolean =>
  request.event === 'cancel' && request.trigger === 'schedule'

const askedAfterConfirmation = firstOf('request', (request, trace, index) => {
  const { checkout } = stateAt(trace, index)
  return isQuestion(request) && checkout !== 'confirmed'
    ? `A cancel request was sent for an order that is ${checkout}.`
    : null
})

// Follows the negotiation as the merchant sees it: the question that is open, and the reason that
// forbids another one.
const oneQuestionAtATime = (trace: Trace): Finding | null => {
  let open: string | null = null
  let over: string | null = null
  const questions = new Set<string>()
  return firstEntry((each) => {
    if (each.part === 'line' && each.to.cancellation === 'cancelled')
      over = 'the order was cancelled'
    if (each.part === 'line' && each.to.cancellation === 'unanswered') open = null
    if (each.part === 'answer' && questions.has(each.key)) {
      const { meaning: says } = cancelMeaning(each)
      if (says !== 'error' && open === each.key) open = null
      if (says === 'cancelled' || says === 'toolate') over ??= `the merchant said ${says}`
    }
    if (each.part !== 'request' || !isQuestion(each)) return null
    if (over !== null) return `A cancel request was sent after ${over}.`
    if (open !== null && open !== each.key)
      return 'A second cancel request was sent while one was open.'
    open = each.key
    questions.add(each.key)
    return null
  })(trace)
}

/** The answers that postpone a question, each with the first attempt of the next question. */
const findPostponements = ({ entries }: Trace) => {
  const questions = new Set(
    entriesOf({ entries }, 'request').flatMap((request) =>
      isQuestion(request) ? [request.key] : [],
    ),
  )
  return entries.flatMap((each, index) => {
    if (each.part !== 'answer' || !questions.has(each.key)) return []
    const verdict = cancelMeaning(each)
    if (verdict.meaning !== 'retry') return []
    const next = entries.findIndex(
      (one, at) => at > index && one.part === 'request' && isQuestion(one) && one.key !== each.key,
    )
    return [
      {
        index,
        answer: each,
        dueAt: each.at + verdict.inMinutes * MINUTE,
        next: next < 0 ? null : next,
      },
    ]
  })
}

const notBeforeItsTime = (trace: Trace): Finding | null => {
  for (const { dueAt, next, index } of findPostponements(trace)) {
    const request = next === null ? undefined : trace.entries[next]
    if (request === undefined || next === null || request.at >= dueAt - SECOND) continue
    if (
      trace.entries.slice(index, next).some((each) => each.part === 'operator' && each.isAccepted)
    )
      continue
    return findingAt(
      next,
      `A cancel request was sent ${(dueAt - request.at) / MINUTE} minutes too early after retry.`,
    )
  }
  return null
}

const promptlyWhenDue = (trace: Trace): Finding | null => {
  for (const { dueAt, next, index } of findPostponements(trace)) {
    const limit = next ?? trace.entries.length
    const late = trace.entries.findIndex(
      (each, at) =>
        at > index &&
        at < limit &&
        each.part === 'idle' &&
        each.at >= dueAt + SECOND &&
        isNegotiating(trace, at),
    )
    if (late >= 0)
      return findingAt(late, 'No cancel request was sent when the minutes after retry were over.')
  }
  return null
}

const isNegotiating = (trace: Trace, index: number): boolean =>
  ['waiting', 'asking'].includes(stateAt(trace, index).cancellation)

const errorsWithinAWeek = (trace: Trace): Finding | null => {
  const started = new Map<string, number>()
  const settled = new Set<string>()
  return firstEntry((each) => {
    if (each.part === 'answer' && cancelMeaning(each).meaning !== 'error') settled.add(each.key)
    if (each.part !== 'request' || !isQuestion(each)) return null
    if (settled.has(each.key)) return 'A cancel request that was answered was sent once more.'
    const firstAt = started.get(each.key) ?? each.at
    started.set(each.key, firstAt)
    // Allows one day more: after a pause of the service, one attempt replaces all that it missed.
    return each.at > firstAt + WEEK + DAY
      ? `A cancel request was sent ${(each.at - firstAt) / DAY} days after its first attempt.`
      : null
  })(trace)
}

export const cancelProtocol: Invariant = {
  number: 18,
  name: 'cancel protocol',
  section: 'Interface §6.1',
  clauses: [
    {
      claim: 'no cancel request precedes confirmation',
      needs: ['request', 'line'],
      check: askedAfterConfirmation,
    },
    {
      claim:
        'one cancel request is open at most, and none is sent after cancelled, toolate or a cancellation',
      needs: ['request', 'answer', 'line'],
      check: oneQuestionAtATime,
    },
    {
      claim: 'after retry, the next request is sent no earlier than its minutes say',
      needs: ['request', 'answer', 'operator'],
      check: notBeforeItsTime,
    },
    {
      claim: 'after retry, the next request is sent when its minutes are over',
      needs: ['request', 'answer', 'line', 'idle'],
      check: promptlyWhenDue,
    },
    {
      claim: 'any other answer is an error, and the request is repeated for a week at most',
      needs: ['request', 'answer'],
      check: errorsWithinAWeek,
    },
  ],
}

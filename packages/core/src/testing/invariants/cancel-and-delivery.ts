// What is asked of the merchant and told to him: the cancel negotiation, and the rules of every delivery. The answers
// that count stand here once more, from interface §6.1 and contract §6, and share nothing with the code that judges.
import { LIFECYCLE_EVENTS } from '../../protocol/lifecycle-event.ts'
import { type Finding, found, type Invariant } from '../invariant.ts'
import { DAY, fieldsOf, formOf, jsonOf, MINUTE, parametersOf, SECOND, stateAt } from '../reading.ts'
import { type HeardBack, type Sent, seenOf, type Trace } from '../trace.ts'

const WEEK = 7 * DAY

type Said =
  | { readonly says: 'cancelled' | 'toolate' | 'unsupported' | 'error' }
  | { readonly says: 'retry'; readonly inMinutes: number }

const wholeMinutes = (given: unknown): number =>
  typeof given === 'number' ? given : typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN

/** What the merchant's answer to a cancel request says. */
const saidBy = ({ status, body }: Pick<HeardBack, 'status' | 'body'>): Said => {
  if (status === null || body === null || ![200, 201, 202, 302, 307, 501].includes(status)) return { says: 'error' }
  const answer = jsonOf(body.replace(/^\uFEFF/, ''))
  const { result, retry_in } = fieldsOf(answer)
  if (result === 'cancelled' || result === 'toolate') return { says: result }
  const inMinutes = wholeMinutes(retry_in)
  if (result === 'retry' && Number.isInteger(inMinutes) && inMinutes >= 1 && inMinutes <= 1440)
    return { says: 'retry', inMinutes }
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer)
  return status === 501 && isObject && !Object.hasOwn(answer, 'result') ? { says: 'unsupported' } : { says: 'error' }
}

const isQuestion = (sent: Sent): boolean => sent.event === 'cancel' && sent.trigger === 'schedule'

const askedAfterConfirmation = (trace: Trace): Finding | null => {
  for (const [index, each] of trace.seen.entries())
    if (each.part === 'sent' && isQuestion(each) && stateAt(trace, index).checkout !== 'confirmed')
      return found(index, `A cancel request left for an order that is ${stateAt(trace, index).checkout}.`)
  return null
}

// Walks the negotiation as the merchant sees it: which question is open, and what forbids another.
const oneQuestionAtATime = ({ seen }: Trace): Finding | null => {
  let open: string | null = null
  let over: string | null = null
  const questions = new Set<string>()
  for (const [index, each] of seen.entries()) {
    if (each.part === 'line' && each.to.cancellation === 'cancelled') over = 'the order was cancelled'
    if (each.part === 'line' && each.to.cancellation === 'unanswered') open = null
    if (each.part === 'heard' && questions.has(each.key)) {
      const { says } = saidBy(each)
      if (says !== 'error' && open === each.key) open = null
      if (says === 'cancelled' || says === 'toolate') over ??= `the merchant said ${says}`
    }
    if (each.part !== 'sent' || !isQuestion(each)) continue
    if (over !== null) return found(index, `A cancel request left after ${over}.`)
    if (open !== null && open !== each.key) return found(index, 'A second cancel request left while one was open.')
    open = each.key
    questions.add(each.key)
  }
  return null
}

/** Answers that put a question off, each with the first attempt of the question that followed it. */
const postponed = ({ seen }: Trace) => {
  const questions = new Set(seenOf({ seen }, 'sent').flatMap((sent) => (isQuestion(sent) ? [sent.key] : [])))
  return seen.flatMap((each, index) => {
    if (each.part !== 'heard' || !questions.has(each.key)) return []
    const said = saidBy(each)
    if (said.says !== 'retry') return []
    const next = seen.findIndex(
      (one, at) => at > index && one.part === 'sent' && isQuestion(one) && one.key !== each.key,
    )
    return [{ index, heard: each, dueAt: each.at + said.inMinutes * MINUTE, next: next < 0 ? null : next }]
  })
}

const notBeforeItsTime = (trace: Trace): Finding | null => {
  for (const { dueAt, next, index } of postponed(trace)) {
    const sent = next === null ? undefined : trace.seen[next]
    if (sent === undefined || next === null || sent.at >= dueAt - SECOND) continue
    if (trace.seen.slice(index, next).some((each) => each.part === 'operator' && each.isTaken)) continue
    return found(next, `A cancel request left ${(dueAt - sent.at) / MINUTE} minutes before the merchant wanted it.`)
  }
  return null
}

const promptlyAtItsTime = (trace: Trace): Finding | null => {
  for (const { dueAt, next, index } of postponed(trace)) {
    const limit = next ?? trace.seen.length
    const late = trace.seen.findIndex(
      (each, at) =>
        at > index && at < limit && each.part === 'idle' && each.at >= dueAt + SECOND && isNegotiating(trace, at),
    )
    if (late >= 0) return found(late, 'The merchant wanted to be asked again by now, and was not.')
  }
  return null
}

const isNegotiating = (trace: Trace, index: number): boolean =>
  ['waiting', 'asking'].includes(stateAt(trace, index).cancellation)

const errorsWithinAWeek = ({ seen }: Trace): Finding | null => {
  const begun = new Map<string, number>()
  const settled = new Set<string>()
  for (const [index, each] of seen.entries()) {
    if (each.part === 'heard' && saidBy(each).says !== 'error') settled.add(each.key)
    if (each.part !== 'sent' || !isQuestion(each)) continue
    if (settled.has(each.key)) return found(index, 'A cancel request that was answered left once more.')
    const firstAt = begun.get(each.key) ?? each.at
    begun.set(each.key, firstAt)
    // What the service slept through is made up by one attempt.
    if (each.at > firstAt + WEEK + DAY)
      return found(index, `A cancel request left ${(each.at - firstAt) / DAY} days after its first attempt.`)
  }
  return null
}

const TRIGGER = 'cancellation event'

const sandboxAsksInTime = (trace: Trace): Finding | null => {
  const { seen } = trace
  const advised = seenOf(trace, 'decided').find(({ by }) => by === 'watch')
  const sent = seen.findIndex((each) => each.part === 'sent' && isQuestion(each))
  const first = seen[sent]
  const person = seen.findLast((each) => each.part === 'submission')
  if (advised === undefined || first === undefined || person?.part !== 'submission') return null
  if (String(person.body.surnames).toLowerCase() !== TRIGGER) return null
  if (seen.slice(0, sent).some((each) => each.part === 'operator')) return null
  const confirmed = seen.find((each) => each.part === 'line' && each.to.checkout === 'confirmed')
  const wanted = (confirmed?.at ?? Number.NaN) + (Number(person.body.dob_day) - 1) * 10 * SECOND
  return first.at === wanted
    ? null
    : found(sent, `The cancel request left ${(first.at - wanted) / SECOND} s beside its time.`)
}

export const cancelProtocol: Invariant = {
  number: 18,
  name: 'cancel protocol',
  clauses: [
    { claim: 'no cancel request precedes confirmation', needs: ['sent', 'line'], violation: askedAfterConfirmation },
    {
      claim: 'one cancel request is open at most, and none leaves after cancelled, toolate or a cancellation',
      needs: ['sent', 'heard', 'line'],
      violation: oneQuestionAtATime,
    },
    {
      claim: 'after retry the next leaves not before its minutes',
      needs: ['sent', 'heard', 'operator'],
      violation: notBeforeItsTime,
    },
    {
      claim: 'after retry the next leaves at its minutes',
      needs: ['sent', 'heard', 'line', 'idle'],
      violation: promptlyAtItsTime,
    },
    {
      claim: 'any other answer is an error, and the request leaves again within a week alone',
      needs: ['sent', 'heard'],
      violation: errorsWithinAWeek,
    },
    {
      claim: 'the sandbox asks (dob_day - 1) × 10 s after confirmation',
      needs: ['sent', 'line', 'submission', 'decided', 'instant'],
      violation: sandboxAsksInTime,
    },
  ],
}

const INFORMATIVE = [200, 201, 202, 302, 307, 404, 501]

const isAccepted = (event: Sent['event'], heard: HeardBack): boolean => {
  const { status } = heard
  if (status === null) return false
  if (event === 'ipn') return (status >= 200 && status < 300) || status === 409 || status === 410
  return event === 'cancel' ? saidBy(heard).says !== 'error' : INFORMATIVE.includes(status)
}

const judgedByItsList = (trace: Trace): Finding | null => {
  const eventOf = new Map(seenOf(trace, 'sent').map(({ key, event }) => [key, event]))
  const heard = new Map(seenOf(trace, 'heard').map((each) => [`${each.key}#${each.n}`, each]))
  for (const [index, each] of trace.seen.entries()) {
    if (each.part !== 'judged') continue
    const event = eventOf.get(each.key)
    const answer = heard.get(`${each.key}#${each.n}`)
    if (event === undefined || answer === undefined) continue
    const wanted = isAccepted(event, answer) ? 'accepted' : 'error'
    if (each.outcome !== wanted)
      return found(index, `${event} answered ${answer.status} is ${each.outcome}, and should be ${wanted}.`)
  }
  return null
}

const bytesStay = ({ seen }: Trace): Finding | null => {
  const bodies = new Map<string, string>()
  for (const [index, each] of seen.entries()) {
    if (each.part !== 'sent') continue
    const before = bodies.get(each.key) ?? each.body
    bodies.set(each.key, before)
    if (each.body !== before) return found(index, `${each.event} left with other bytes at attempt ${each.n}.`)
  }
  return null
}

const isSigned = ({ seen, names }: Trace): Finding | null => {
  for (const [index, each] of seen.entries()) {
    if (each.part !== 'sent') continue
    const given = each.headers[names.signatureHeader.toLowerCase()]
    if (!/^[0-9a-f]{64}$/.test(given ?? '') || given !== each.signature)
      return found(index, `${each.event} is signed ${given ?? 'by nothing'}, and should be by ${each.signature}.`)
  }
  return null
}

const OWN: { readonly [event: string]: readonly string[] | undefined } = {
  cancel: ['cancellation_request_url'],
  risk_assessment: ['risk_level'],
}

const readsAsItsEvent = (trace: Trace): Finding | null => {
  const { placed } = trace
  const given = placed.eventsWebhook?.parameters ?? {}
  const mine = Object.keys(given).sort((a, b) => (a < b ? -1 : 1))
  for (const [index, each] of trace.seen.entries()) {
    if (each.part !== 'sent' || !LIFECYCLE_EVENTS.some((event) => event === each.event)) continue
    const names = parametersOf(each).map(([name]) => name)
    const wanted = [
      'charset',
      'utf8',
      'event',
      'order_ref_1',
      'order_ref_2',
      'order_ref',
      ...(OWN[each.event] ?? []),
      ...mine.map((name) => `m_${name}`),
    ]
    if (names.join() !== wanted.join()) return found(index, `${each.event} has the parameters ${names.join(', ')}.`)
    const form = formOf(each)
    const isRight =
      form.charset === 'UTF-8' &&
      form.utf8 === '√' &&
      form.event === each.event &&
      form.order_ref === placed.orderRef &&
      mine.every((name) => form[`m_${name}`] === given[name])
    if (!isRight || each.contentType !== 'application/x-www-form-urlencoded')
      return found(index, `${each.event} reads ${JSON.stringify(form)} as ${each.contentType}.`)
  }
  return null
}

const actionEventReads = (trace: Trace): Finding | null => {
  const { placed } = trace
  const given = placed.eventsWebhook?.parameters ?? {}
  for (const [index, each] of trace.seen.entries()) {
    if (each.part !== 'sent' || each.event !== 'identification_action') continue
    const fields = fieldsOf(jsonOf(each.body))
    const merchants = Object.keys(fields).filter((name) => name.startsWith('m_'))
    const isRight =
      fields.event === 'identification_action' &&
      fields.order_ref === placed.orderRef &&
      Object.hasOwn(fields, 'order_ref_1') &&
      Object.hasOwn(fields, 'order_ref_2') &&
      merchants.length === Object.keys(given).length &&
      Object.entries(given).every(([name, value]) => fields[`m_${name}`] === value)
    if (!isRight) return found(index, `An action event reads ${each.body}.`)
  }
  return null
}

export const delivery: Invariant = {
  number: 19,
  name: 'delivery',
  clauses: [
    {
      claim: 'an answer is accepted if and only if its status is in its event’s list',
      needs: ['sent', 'heard', 'judged'],
      violation: judgedByItsList,
    },
    { claim: 'every attempt has the same bytes', needs: ['sent'], violation: bytesStay },
    {
      claim: 'the signature header is the lower-case hex HMAC-SHA256 of those bytes',
      needs: ['sent', 'signature'],
      violation: isSigned,
    },
    {
      claim: 'an event reads back with its charset, utf8, references, own parameters, and the merchant’s as m_ alone',
      needs: ['sent'],
      violation: readsAsItsEvent,
    },
    {
      claim: 'an action event names the order, and the merchant’s parameters as m_ alone',
      needs: ['sent'],
      violation: actionEventReads,
    },
  ],
}

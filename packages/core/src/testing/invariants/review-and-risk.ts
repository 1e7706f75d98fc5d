// Decisions that take long: an order on hold, an ID check, the risk of an order paid in full.

import { entriesOf, type MerchantRequest, type Trace } from '../trace/trace.ts'
import { actionOf, fieldsOf, formOf, isSuccess, stateAt } from '../trace/trace-queries.ts'
import { type Finding, findingAt, firstEntry, firstOf, type Invariant } from './invariant.ts'

const holdIsConfirmedFirst = (trace: Trace): Finding | null => {
  const ipns = new Set<string>()
  let isHeld = false
  return firstEntry((each) => {
    if (
      each.part === 'request' &&
      each.event === 'ipn' &&
      formOf(each)[trace.names.ipnStateParameter] === 'needs_review'
    )
      ipns.add(each.key)
    if (each.part === 'answer' && ipns.has(each.key) && isSuccess(each.status)) isHeld = true
    if (each.part === 'merchant' && each.act === 'on_hold' && each.isAccepted) isHeld = true
    return each.part === 'poll' && actionOf(each) === 'show_on_hold' && !isHeld
      ? 'Wait answered show_on_hold before the merchant has confirmed the hold.'
      : null
  })(trace)
}

const notYetAccepted = (
  entries: Pick<Trace, 'entries'>,
  ...events: readonly MerchantRequest['event'][]
): boolean => {
  const accepted = new Set(
    entriesOf(entries, 'outcome').flatMap(({ key, outcome }) =>
      outcome === 'accepted' ? [key] : [],
    ),
  )
  return entriesOf(entries, 'request').some(
    ({ key, event }) => events.includes(event) && !accepted.has(key),
  )
}

const rejectionIsAnnounced = (trace: Trace): Finding | null => {
  const { entries, placed } = trace
  if (placed.eventsWebhook === null) return null
  return firstOf('idle', (_idle, _trace, index) => {
    const before = { entries: entries.slice(0, index) }
    const announced = new Set(
      entriesOf(before, 'request').flatMap(({ event, key }) =>
        event === 'cancelled' ? [key] : [],
      ),
    )
    const isRejected = stateAt(trace, index).checkout === 'cancelled'
    if (isRejected && announced.size === 0 && !notYetAccepted(before, 'denied', 'risk_assessment'))
      return 'A rejected hold caused no event.'
    if (announced.size > (isRejected ? 1 : 0))
      return `The event cancelled was sent in ${announced.size} deliveries.`
    if (isRejected && entriesOf(before, 'request').some(({ event }) => event === 'cancel'))
      return 'A rejected hold was followed by a cancel request.'
    return null
  })(trace)
}

const onlyApprovalEndsHold = (trace: Trace): Finding | null => {
  let isHeld = false
  return firstEntry((each) => {
    if (each.part === 'operator' && each.act === 'approve' && each.isAccepted) isHeld = false
    if (each.part !== 'poll') return null
    const action = actionOf(each)
    if (action === 'show_on_hold') isHeld = true
    return isHeld && action === 'finish'
      ? 'A hold turned to finish, and nobody has approved it.'
      : null
  })(trace)
}

const sessionEndsOnce = (trace: Trace): Finding | null => {
  const last = new Map<unknown, unknown>()
  return firstEntry((each) => {
    if (each.part !== 'poll' && each.part !== 'submission') return null
    const { action, session_url: url, status } = fieldsOf(each.answer.body)
    if (action !== 'wait_for_id_verification') return null
    const before = last.get(url) ?? 'STARTED'
    last.set(url, status)
    return before !== 'STARTED' && before !== status
      ? `An ID session went from ${before} to ${status}.`
      : null
  })(trace)
}

export const onHold: Invariant = {
  number: 16,
  name: 'on hold, and the ID check',
  section: 'Contract §5, Held orders',
  clauses: [
    {
      claim: 'show_on_hold comes after the merchant has confirmed the hold',
      needs: ['poll', 'request', 'answer', 'merchant'],
      check: holdIsConfirmedFirst,
    },
    {
      claim: 'a rejected hold causes the event cancelled once, and by no cancel request',
      needs: ['line', 'request', 'outcome', 'idle'],
      check: rejectionIsAnnounced,
    },
    {
      claim: 'a hold turns to finish by approval alone',
      needs: ['poll', 'operator'],
      check: onlyApprovalEndsHold,
    },
    {
      claim: 'the status of an ID session goes from STARTED to one end, and stays there',
      needs: ['submission', 'poll'],
      check: sessionEndsOnce,
    },
  ],
}

/** The distinct events of a kind, each at its first attempt. */
const firstAttempts = (
  trace: Pick<Trace, 'entries'>,
  event: MerchantRequest['event'],
): readonly { readonly index: number; readonly request: MerchantRequest }[] => {
  const keys = new Set<string>()
  return trace.entries.flatMap((request, index) => {
    if (request.part !== 'request' || request.event !== event || keys.has(request.key)) return []
    keys.add(request.key)
    return [{ index, request }]
  })
}

const FINAL = ['low_risk', 'high_risk']

const riskLanguage = (trace: Trace): Finding | null => {
  let before: string | null = null
  for (const { index, request } of firstAttempts(trace, 'risk_assessment')) {
    const level = formOf(request).risk_level ?? ''
    const isRight =
      before === null
        ? [...FINAL, 'under_evaluation'].includes(level)
        : before === 'under_evaluation' && FINAL.includes(level)
    if (!isRight)
      return findingAt(index, `The risk ${level} was reported after ${before ?? 'nothing'}.`)
    before = level
  }
  return null
}

const riskAfterConfirmation = (trace: Trace): Finding | null => {
  for (const { index } of firstAttempts(trace, 'risk_assessment'))
    if (stateAt(trace, index).checkout !== 'confirmed')
      return findingAt(index, 'A risk was reported for an order that is not confirmed.')
  return null
}

const riskIsAnnounced = (trace: Trace): Finding | null => {
  if (trace.placed.eventsWebhook === null) return null
  return firstOf('idle', (_idle, _trace, index) => {
    const { risk } = stateAt(trace, index)
    if (![...FINAL, 'under_evaluation'].includes(risk)) return null
    const before = { entries: trace.entries.slice(0, index) }
    const last = firstAttempts(before, 'risk_assessment').at(-1)
    const announced = last && formOf(last.request).risk_level
    return announced === risk || notYetAccepted(before, 'risk_assessment')
      ? null
      : `The risk is ${risk}, and the reported one is ${announced ?? 'nothing'}.`
  })(trace)
}

export const risk: Invariant = {
  number: 17,
  name: 'risk language',
  section: 'Interface §6.1',
  clauses: [
    {
      claim:
        'a risk is reported once and for all, or first as under evaluation and then once and for all',
      needs: ['request'],
      check: riskLanguage,
    },
    {
      claim: 'no risk is reported before the order is confirmed',
      needs: ['request', 'line'],
      check: riskAfterConfirmation,
    },
    {
      claim: 'the risk that was found is reported',
      needs: ['request', 'outcome', 'line', 'idle'],
      check: riskIsAnnounced,
    },
  ],
}

// The rules of every delivery: which answers are accepted, the same bytes at each attempt,
// signatures, and complete bodies.
import { LIFECYCLE_EVENTS } from '../../protocol/webhook-event.ts'
import { entriesOf, type MerchantAnswer, type MerchantRequest, type Trace } from '../trace/trace.ts'
import { fieldsOf, formOf, jsonOf, parametersOf } from '../trace/trace-queries.ts'
import { cancelMeaning } from './cancel.ts'
import { type Finding, firstOf, type Invariant } from './invariant.ts'

const INFORMATIVE = [200, 201, 202, 302, 307, 404, 501]

export const isAccepted = (event: MerchantRequest['event'], answer: MerchantAnswer): boolean => {
  const { status } = answer
  if (status === null) return false
  if (event === 'ipn') return (status >= 200 && status < 300) || status === 409 || status === 410
  return event === 'cancel'
    ? cancelMeaning(answer).meaning !== 'error'
    : INFORMATIVE.includes(status)
}

const outcomeFollowsItsList = (trace: Trace): Finding | null => {
  const eventOf = new Map(entriesOf(trace, 'request').map(({ key, event }) => [key, event]))
  const answers = new Map(entriesOf(trace, 'answer').map((each) => [`${each.key}#${each.n}`, each]))
  return firstOf('outcome', (each) => {
    const event = eventOf.get(each.key)
    const answer = answers.get(`${each.key}#${each.n}`)
    if (event === undefined || answer === undefined) return null
    const expected = isAccepted(event, answer) ? 'accepted' : 'error'
    if (each.outcome !== expected)
      return `${event} answered ${answer.status} is ${each.outcome}, and should be ${expected}.`
    return null
  })(trace)
}

const bytesStay = (trace: Trace): Finding | null => {
  const bodies = new Map<string, string>()
  return firstOf('request', (each) => {
    const before = bodies.get(each.key) ?? each.body
    bodies.set(each.key, before)
    if (each.body !== before) return `${each.event} was sent with other bytes at attempt ${each.n}.`
    return null
  })(trace)
}

const signatureIsRight = firstOf('request', (each, { names }) => {
  const signature = each.headers[names.signatureHeader.toLowerCase()]
  if (!/^[0-9a-f]{64}$/.test(signature ?? '') || signature !== each.signature)
    return `The signature of ${each.event} is ${signature ?? 'absent'}, and should be ${each.signature}.`
  return null
})

const OWN_PARAMETERS: { readonly [event: string]: readonly string[] | undefined } = {
  cancel: ['cancellation_request_url'],
  risk_assessment: ['risk_level'],
}

const eventBodyIsComplete = firstOf('request', (each, { placed }) => {
  if (!LIFECYCLE_EVENTS.some((event) => event === each.event)) return null
  const parameters = placed.eventsWebhook?.parameters ?? {}
  const merchantNames = Object.keys(parameters).sort((a, b) => (a < b ? -1 : 1))
  const names = parametersOf(each).map(([name]) => name)
  const references = ['order_ref_1', 'order_ref_2', 'order_ref']
  const merchantParameters = [
    ...(OWN_PARAMETERS[each.event] ?? []),
    ...merchantNames.map((name) => `m_${name}`),
  ]
  const expected = ['charset', 'utf8', 'event', ...references, ...merchantParameters]
  if (names.join() !== expected.join())
    return `${each.event} has the parameters ${names.join(', ')}.`
  const form = formOf(each)
  const isRight =
    form.charset === 'UTF-8' &&
    form.utf8 === '√' &&
    form.event === each.event &&
    form.order_ref === placed.orderRef &&
    merchantNames.every((name) => form[`m_${name}`] === parameters[name])
  if (!isRight || each.contentType !== 'application/x-www-form-urlencoded')
    return `The body of ${each.event} is ${JSON.stringify(form)} as ${each.contentType}.`
  return null
})

const actionBodyIsComplete = firstOf('request', ({ event, body }, { placed }) => {
  if (event !== 'identification_action') return null
  const parameters = placed.eventsWebhook?.parameters ?? {}
  const fields = fieldsOf(jsonOf(body))
  const merchantNames = Object.keys(fields).filter((name) => name.startsWith('m_'))
  const isRight =
    fields.event === 'identification_action' &&
    fields.order_ref === placed.orderRef &&
    Object.hasOwn(fields, 'order_ref_1') &&
    Object.hasOwn(fields, 'order_ref_2') &&
    merchantNames.length === Object.keys(parameters).length &&
    Object.entries(parameters).every(([name, value]) => fields[`m_${name}`] === value)
  return isRight ? null : `The body of an action event is ${body}.`
})

export const delivery: Invariant = {
  number: 19,
  name: 'delivery',
  section: 'Interface §4.4, §5 and §6',
  clauses: [
    {
      claim: 'an answer is accepted if and only if its status is in its event’s list',
      needs: ['request', 'answer', 'outcome'],
      check: outcomeFollowsItsList,
    },
    { claim: 'every attempt has the same bytes', needs: ['request'], check: bytesStay },
    {
      claim: 'the signature header is the lower-case hex HMAC-SHA256 of those bytes',
      needs: ['request', 'signature'],
      check: signatureIsRight,
    },
    {
      claim:
        'an event has charset, utf8, its references and its own parameters, and the merchant’s only with the prefix m_',
      needs: ['request'],
      check: eventBodyIsComplete,
    },
    {
      claim:
        'an action event names the order, and has the merchant’s parameters only with the prefix m_',
      needs: ['request'],
      check: actionBodyIsComplete,
    },
  ],
}

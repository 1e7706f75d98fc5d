// Checks a server over HTTP alone: single requests whose answers the documents fix, and then the
// invariants, with one order along every journey. Claims that a client cannot check, without a clock,
// a receiver or the server's inside, are listed.

import { dayIn } from '../../protocol/day.ts'
import { PERSON } from '../harness/order-harness.ts'
import { INVARIANTS } from '../invariants/index.ts'
import { examine, type UncheckedClause, type Violation } from '../invariants/invariant.ts'
import { entriesOf, type Trace, type TraceEntry } from '../trace/trace.ts'
import { actionOf, fieldsOf } from '../trace/trace-queries.ts'
import { JOURNEYS, type Journey, runJourney } from './journeys.ts'
import {
  type MerchantTerms,
  placeRemoteOrder,
  remoteOrderBody,
  remoteTotal,
} from './remote-order.ts'
import { SEEN_FROM_OUTSIDE } from './seen-from-outside.ts'
import { judgeAnswer, probesOf } from './single-requests.ts'
import { type CallResult, callsTo, namesOf, type Subject } from './subject.ts'

/**
 * A rule of the interface that the server breaks. `exchange`: the request and its answer as text;
 * null if the violation is not of one request.
 */
export type ConformanceViolation = Violation & {
  readonly journey: string
  readonly exchange: string | null
}

/** What `conform` has found: broken rules, checked rules, and what could not be checked. */
export type Conformance = {
  readonly violations: readonly ConformanceViolation[]
  /** The demands on single requests, and the claims that were checked against every journey. */
  readonly checked: readonly string[]
  readonly notChecked: readonly UncheckedClause[]
  /** The journeys that the server does not offer: no such product or test person. */
  readonly notTaken: readonly string[]
  /** The actions that the server answered. */
  readonly answered: {
    readonly identification: readonly string[]
    readonly wait: readonly string[]
  }
}

const SEED = 1

/** The server's data about the merchant; null if it does not accept these credentials. */
export const fetchMerchantTerms = async (subject: Subject): Promise<MerchantTerms | null> => {
  const { status, body } = await callsTo(subject).asMerchant(
    'GET',
    `/merchants/${subject.merchant.ref}/credentials`,
  )
  const { country, currency, signature_secret: secret, options } = fieldsOf(body)
  const sendsActionEvents = fieldsOf(options).send_action_events_in_identification === true
  return status === 200
    ? {
        sendsActionEvents,
        country: typeof country === 'string' ? country : null,
        currency: String(currency),
        secret: String(secret),
      }
    : null
}

const prepareReceiver = (
  { receiver }: Subject,
  { ipn = 200, events = { status: 200 } }: Journey,
  path: string,
): void => {
  receiver?.answer(`${path}/ipn`, ipn)
  receiver?.answer(`${path}/events`, events.status, events.body)
}

/**
 * Paths that no other order and no other run uses: a server may still deliver events of an earlier
 * run.
 */
export const pathsOf = ({ now }: Subject): ((number: number) => string) => {
  const run = now().toString(36)
  return (number) => `/conformance/${run}/${number}`
}

const TEXT_MAX = 600

const asText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text
}

const exchangeText = (request: string, body: unknown, { status, body: answer }: CallResult) =>
  `${request}${body === undefined ? '' : ` ${asText(body)}`}\n→ ${status} ${asText(answer)}`.trimEnd()

/** What was asked and answered at this entry of a trace; null if it is no request. */
const exchangeOf = (entry: TraceEntry, { placed, entries }: Trace): string | null => {
  const checkout = `/api/v1/checkout/${placed.orderRef}`
  if (entry.part === 'poll')
    return `GET ${checkout}/wait\n→ ${entry.answer.status} ${asText(entry.answer.body)}`
  if (entry.part === 'submission')
    return `POST ${checkout}/identification ${asText(entry.body)}\n→ ${entry.answer.status} ${asText(entry.answer.body)}`
  if (entry.part === 'merchant')
    return `PUT /orders/${placed.orderRef} (${entry.act})\n→ ${entry.isAccepted ? 'accepted' : 'refused'}`
  if (entry.part !== 'request') return null
  const answer = entries.find(
    (each) => each.part === 'answer' && each.key === entry.key && each.n === entry.n,
  )
  const status = answer?.part === 'answer' ? answer.status : null
  return `POST ${entry.url}, received by the merchant: ${asText(entry.headers)} ${asText(entry.body)}\n→ ${status}`
}

/** The exchange at this index, or else the last one before it. */
const exchangeAt = (trace: Trace, index: number | null): string | null => {
  if (index === null) return null
  for (let at = index; at >= 0; at--) {
    const entry = trace.entries[at]
    const text = entry === undefined ? null : exchangeOf(entry, trace)
    if (text !== null) return text
  }
  return null
}

const SINGLE = 'single requests'

/** Makes each request whose answer the documents fix. Returns the answers that differ. */
const checkSingleRequests = async (
  subject: Subject,
  merchantTerms: MerchantTerms,
): Promise<Pick<Conformance, 'violations' | 'checked'>> => {
  const calls = callsTo(subject)
  const body = remoteOrderBody(subject, merchantTerms, null)
  const place = async (): Promise<string> => {
    const { headers } = await calls.asMerchant('POST', '/orders', body)
    return headers.get('location')?.split('/').at(-1) ?? ''
  }
  const orders = { ref: subject.merchant.ref, older: await place(), newer: await place(), body }
  const violations: ConformanceViolation[] = []
  const probes = probesOf(orders)
  for (const probe of probes) {
    const [by, method, path, sent] = probe.request
    const answer = await calls[by](method, path, sent)
    const sentence = judgeAnswer(probe, answer)
    if (sentence !== null)
      violations.push({
        invariant: SINGLE,
        journey: SINGLE,
        section: probe.section,
        clause: probe.demand,
        sentence,
        index: null,
        exchange: exchangeText(`${method} ${path}`, sent, answer),
      })
  }
  return { violations, checked: probes.map(({ demand }) => demand) }
}

const { nin, mobile_phone, address } = PERSON
const SECRETS = [nin, mobile_phone, address]

/** A merchant may read an order and its history, and never the shopper's data in them. */
const checkViews = async (
  subject: Subject,
  orderRef: string,
  journey: string,
): Promise<readonly ConformanceViolation[]> => {
  const violations: ConformanceViolation[] = []
  for (const path of [`/orders/${orderRef}`, `/orders/${orderRef}/history`]) {
    const answer = await callsTo(subject).asMerchant('GET', path)
    const personalText = SECRETS.find((value) => JSON.stringify(answer.body).includes(value))
    if (personalText !== undefined)
      violations.push({
        invariant: 'views of the merchant',
        journey,
        section: 'Contract §3',
        clause: 'an order and its history never show the shopper’s data',
        sentence: `The answer shows ${JSON.stringify(personalText)}, which the shopper has typed.`,
        index: null,
        exchange: exchangeText(`GET ${path}`, undefined, answer),
      })
  }
  return violations
}

const PRODUCTS = ['i1', 'pp3', 'sp1', 'fp1'] as const

/** The merchant's products. */
const offeredProducts = async (subject: Subject) => {
  const path = `/merchants/${subject.merchant.ref}/payment_methods`
  const methods = JSON.stringify((await callsTo(subject).asMerchant('GET', path)).body)
  return PRODUCTS.filter((product) => methods.includes(`"product":"${product}"`))
}

/** The journeys whose product the merchant has, and whose test person the server has. */
const offeredJourneys = async (
  subject: Subject,
  products: readonly string[],
): Promise<readonly Journey[]> => {
  if (!subject.isSandbox) return JOURNEYS.slice(0, 1)
  const triggers = await callsTo(subject).asAnybody('GET', '/sandbox/triggers')
  const persons = JSON.stringify(triggers.body)
  return JOURNEYS.filter(
    ({ product = 'i1', surnames, review, operatorAct }) =>
      products.includes(product) &&
      (surnames === undefined || persons.includes(`"${surnames}"`)) &&
      (subject.operatorPassword !== null || (review ?? operatorAct) === undefined),
  )
}

const CHECKED = [...INVARIANTS, ...SEEN_FROM_OUTSIDE]

/**
 * Rejects if the server is unreachable or refuses an order. Journeys need a sandbox; without one
 * only the first begins.
 */
export const conform = async (
  subject: Subject,
  journeys?: readonly Journey[],
): Promise<Conformance> => {
  const merchantTerms = await fetchMerchantTerms(subject)
  if (merchantTerms === null)
    throw new Error(`${subject.url} does not know the merchant ${subject.merchant.ref}.`)
  const products = await offeredProducts(subject)
  const taken = journeys ?? (await offeredJourneys(subject, products))
  const single = await checkSingleRequests(subject, merchantTerms)
  const violations = [...single.violations]
  const pathOf = pathsOf(subject)
  const answered = { identification: new Set<string>(), wait: new Set<string>() }
  let last = examine({ observes: [] } as never, CHECKED)
  for (const [number, journey] of taken.entries()) {
    const path = pathOf(number)
    prepareReceiver(subject, journey, path)
    const order = await placeRemoteOrder(subject, merchantTerms, path)
    if (order === null)
      throw new Error(`${subject.url} refused an order of ${subject.merchant.ref}.`)
    const rules = {
      privacyField: namesOf(subject).privacyField,
      country: merchantTerms.country,
      optionalFields: [],
      products,
      currency: merchantTerms.currency,
      total: remoteTotal(merchantTerms.currency),
      today: dayIn(merchantTerms.country, order.trace().placed.placedAt),
    }
    await runJourney(order, journey, rules, SEED + number)
    violations.push(...(await checkViews(subject, order.orderRef, journey.name)))
    const trace = order.trace()
    last = examine(trace, CHECKED)
    for (const each of entriesOf(trace, 'submission')) answered.identification.add(actionOf(each))
    for (const each of entriesOf(trace, 'poll')) answered.wait.add(actionOf(each))
    violations.push(
      ...last.violations.map((violation) => ({
        ...violation,
        journey: journey.name,
        exchange: exchangeAt(trace, violation.index),
      })),
    )
  }
  return {
    violations,
    checked: [...single.checked, ...last.checked],
    notChecked: last.notChecked,
    notTaken: JOURNEYS.filter((each) => !taken.includes(each)).map(({ name }) => name),
    answered: {
      identification: [...answered.identification].sort(),
      wait: [...answered.wait].sort(),
    },
  }
}

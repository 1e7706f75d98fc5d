// Checks a server over HTTP alone: single requests whose answers the documents fix, and then the
// invariants, with one order along every journey. Claims that a client cannot check, without a clock,
// a receiver or the server's inside, are listed. A server that fails in the middle ends a journey, and
// never the check: its findings are what the caller came for.

import { dayIn } from '../../protocol/day.ts'
import { PERSON } from '../harness/order-harness.ts'
import { INVARIANTS } from '../invariants/index.ts'
import {
  type Examination,
  examine,
  type UncheckedClause,
  type Violation,
} from '../invariants/invariant.ts'
import { entriesOf, type Trace, type TraceEntry } from '../trace/trace.ts'
import { actionOf, fieldsOf } from '../trace/trace-queries.ts'
import { JOURNEYS, type Journey, runJourney } from './journeys.ts'
import {
  type MerchantTerms,
  placeRemoteOrder,
  type RemoteOrder,
  remoteOrderBody,
  remoteTotal,
} from './remote-order.ts'
import { SEEN_FROM_OUTSIDE } from './seen-from-outside.ts'
import { judgeAnswer, probesOf } from './single-requests.ts'
import { callsTo, namesOf, type Subject } from './subject.ts'

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
const fetchMerchantTerms = async (subject: Subject): Promise<MerchantTerms | null> => {
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

const TEXT_MAX = 600

const asText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text
}

/** The server under test, and its last request with the answer. An answer of 5xx is thrown. */
const watch = (subject: Subject): { readonly watched: Subject; readonly last: () => string } => {
  const send = subject.fetch ?? fetch
  let exchange = ''
  const sendAndRemember: typeof fetch = async (input, init) => {
    const path = String(input).replace(subject.url, '')
    exchange = `${init?.method} ${path} ${asText(String(init?.body ?? ''))}`.trimEnd()
    const response = await send(input, init)
    const text = asText(await response.clone().text())
    exchange = `${exchange}\n→ ${response.status} ${text}`.trimEnd()
    if (response.status >= 500) throw new Error(`The answer is ${response.status}.`)
    return response
  }
  return { watched: { ...subject, fetch: sendAndRemember }, last: () => exchange }
}

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

/** Reports a finding at the last request. */
type Report = (finding: Omit<ConformanceViolation, 'index' | 'exchange'>) => void

const { nin, mobile_phone, address } = PERSON
const SECRETS = [nin, mobile_phone, address]

/** A merchant may read an order and its history, and never the shopper's data in them. */
const checkViews = async (
  subject: Subject,
  orderRef: string,
  journey: string,
  report: Report,
): Promise<void> => {
  for (const path of [`/orders/${orderRef}`, `/orders/${orderRef}/history`]) {
    const { body } = await callsTo(subject).asMerchant('GET', path)
    const personalText = SECRETS.find((value) => JSON.stringify(body).includes(value))
    if (personalText !== undefined)
      report({
        invariant: 'views of the merchant',
        journey,
        section: 'Contract §3',
        clause: 'an order and its history never show the shopper’s data',
        sentence: `The answer shows ${JSON.stringify(personalText)}, which the shopper has typed.`,
      })
  }
}

/** The answer of wait in each state of the checkout. Contract §3 and §4. */
const WAIT: Readonly<Record<string, string>> = {
  identifying: 'show_identification_form',
  verifying_phone: 'require_validate_otp',
  screening: 'wait_for_screening',
  screened: 'resume_after_screening',
  verifying_identity: 'wait_for_id_verification',
  choosing_alternative: 'alt_payment',
  paying: 'require_payment',
  confirming: 'wait_for_confirmation',
  holding: 'wait_for_on_hold',
  reviewing: 'show_on_hold',
  confirmed: 'finish',
  rejected: 'reject',
  cancelled: 'reject',
  conflicted: 'show_conflict',
  failed: 'show_error',
  expired: 'show_error',
}

/** A sandbox documents the path of each test person, as far as the merchant agrees. */
const checkPath = (order: RemoteOrder, journey: Journey, path: unknown, report: Report): void => {
  if (!Array.isArray(path) || (journey.ipn ?? 200) !== 200) return
  const actual = order.visitedStates().map((state) => WAIT[state] ?? state)
  if (actual.slice(0, path.length).join() !== path.join())
    report({
      invariant: 'test persons',
      journey: journey.name,
      section: 'docs/sandbox.md',
      clause: 'a test person takes the documented path',
      sentence: `The path of ${journey.surnames} is ${actual.join(', ')}.`,
    })
}

const PRODUCTS = ['i1', 'pp3', 'sp1', 'fp1'] as const

/** The merchant's products. */
const offeredProducts = async (subject: Subject): Promise<readonly string[]> => {
  const path = `/merchants/${subject.merchant.ref}/payment_methods`
  const methods = JSON.stringify((await callsTo(subject).asMerchant('GET', path)).body)
  return PRODUCTS.filter((product) => methods.includes(`"product":"${product}"`))
}

/** The documented path of each test person of a sandbox, by their surnames. */
const fetchPaths = async (subject: Subject): Promise<ReadonlyMap<unknown, unknown>> => {
  if (!subject.isSandbox) return new Map()
  const { triggers } = fieldsOf((await callsTo(subject).asAnybody('GET', '/sandbox/triggers')).body)
  return new Map(
    [triggers].flat().map((each) => [fieldsOf(each).surnames, fieldsOf(each).path] as const),
  )
}

const CHECKED = [...INVARIANTS, ...SEEN_FROM_OUTSIDE]

/**
 * Checks the server. `journeys`: those to take, instead of all that the server offers. They need a sandbox, a product and often a test person; without a sandbox
 * only the first begins.
 */
export const conform = async (
  subject: Subject,
  journeys?: readonly Journey[],
): Promise<Conformance> => {
  const { watched, last } = watch(subject)
  const violations: ConformanceViolation[] = []
  const report: Report = (finding) =>
    void violations.push({ ...finding, index: null, exchange: last() })
  const run = async (journey: string, check: () => Promise<void>): Promise<void> => {
    try {
      await check()
    } catch (error) {
      report({
        invariant: 'answers',
        journey,
        section: 'Contract §2',
        clause: 'every request is answered as the next one needs it',
        sentence: error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error),
      })
    }
  }

  const checked: string[] = []
  const taken: Journey[] = []
  const answered = { identification: new Set<string>(), wait: new Set<string>() }
  let examined: Pick<Examination, 'checked' | 'notChecked'> = examine(
    { observes: [] } as never,
    CHECKED,
  )

  const checkSingleRequests = async (merchantTerms: MerchantTerms): Promise<void> => {
    const calls = callsTo(watched)
    const body = remoteOrderBody(subject, merchantTerms, null)
    const place = async (): Promise<string> => {
      const { headers } = await calls.asMerchant('POST', '/orders', body)
      return headers.get('location')?.split('/').at(-1) ?? ''
    }
    const orders = { ref: subject.merchant.ref, older: await place(), newer: await place(), body }
    for (const probe of probesOf(orders))
      await run(SINGLE, async () => {
        const [by, method, path, sent] = probe.request
        checked.push(probe.demand)
        const sentence = judgeAnswer(probe, await calls[by](method, path, sent))
        const { section, demand: clause } = probe
        if (sentence !== null)
          report({ invariant: SINGLE, journey: SINGLE, section, clause, sentence })
      })
  }

  /** Examines what was seen of an order, also if its journey has ended early. */
  const judge = (trace: Trace, journey: string): void => {
    const examination = examine(trace, CHECKED)
    examined = examination
    for (const each of entriesOf(trace, 'submission')) answered.identification.add(actionOf(each))
    for (const each of entriesOf(trace, 'poll')) answered.wait.add(actionOf(each))
    for (const violation of examination.violations)
      violations.push({ ...violation, journey, exchange: exchangeAt(trace, violation.index) })
  }

  await run(SINGLE, async () => {
    const merchantTerms = await fetchMerchantTerms(watched)
    if (merchantTerms === null) throw new Error('The credentials should be answered 200.')
    const products = await offeredProducts(watched)
    const paths = await fetchPaths(watched)
    await run(SINGLE, () => checkSingleRequests(merchantTerms))
    const isOffered = ({ product = 'i1', surnames, review, operatorAct }: Journey): boolean =>
      products.includes(product) &&
      (surnames === undefined || paths.has(surnames)) &&
      (subject.operatorPassword !== null || (review ?? operatorAct) === undefined)
    const offered = subject.isSandbox ? JOURNEYS.filter(isOffered) : JOURNEYS.slice(0, 1)
    taken.push(...(journeys ?? offered))
    // No other order and no other run uses these paths: a server may still deliver earlier events.
    const root = `/conformance/${subject.now().toString(36)}`
    for (const [number, journey] of taken.entries())
      await run(journey.name, async () => {
        const path = `${root}/${number}`
        prepareReceiver(subject, journey, path)
        const order = await placeRemoteOrder(watched, merchantTerms, path)
        if (order === null) throw new Error('The order should be taken, with 204 and a Location.')
        const rules = {
          privacyField: namesOf(subject).privacyField,
          country: merchantTerms.country,
          optionalFields: [],
          products,
          currency: merchantTerms.currency,
          total: remoteTotal(merchantTerms.currency),
          today: dayIn(merchantTerms.country, order.trace().placed.placedAt),
        }
        try {
          await runJourney(order, journey, rules, SEED + number)
          await checkViews(watched, order.orderRef, journey.name, report)
          checkPath(order, journey, paths.get(journey.surnames), report)
        } finally {
          judge(order.trace(), journey.name)
        }
      })
  })
  return {
    violations,
    checked: [...checked, ...examined.checked],
    notChecked: examined.notChecked,
    notTaken: JOURNEYS.filter((each) => !taken.includes(each)).map(({ name }) => name),
    answered: {
      identification: [...answered.identification].sort(),
      wait: [...answered.wait].sort(),
    },
  }
}

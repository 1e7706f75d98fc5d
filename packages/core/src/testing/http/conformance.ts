// Checks a server against the twenty-one invariants over HTTP alone. It leads one order along every
// journey and examines the traces. Claims that a client cannot check, without a clock, a receiver
// or the server's inside, are listed.

import { dayIn } from '../../protocol/day.ts'
import { INVARIANTS } from '../invariants/index.ts'
import { examine, type UncheckedClause, type Violation } from '../invariants/invariant.ts'
import { entriesOf } from '../trace/trace.ts'
import { actionOf, fieldsOf } from '../trace/trace-queries.ts'
import { JOURNEYS, type Journey, runJourney } from './journeys.ts'
import { type MerchantTerms, placeRemoteOrder, remoteTotal } from './remote-order.ts'
import { callsTo, namesOf, type Subject } from './subject.ts'

export type Conformance = {
  readonly violations: readonly (Violation & { readonly journey: string })[]
  /** The claims that were checked against every journey. */
  readonly checked: readonly string[]
  readonly notChecked: readonly UncheckedClause[]
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

/**
 * Rejects if the server is unreachable or refuses an order. Journeys need a sandbox; without one
 * only the first begins.
 */
export const conform = async (
  subject: Subject,
  journeys: readonly Journey[] = subject.isSandbox ? JOURNEYS : JOURNEYS.slice(0, 1),
): Promise<Conformance> => {
  const merchantTerms = await fetchMerchantTerms(subject)
  if (merchantTerms === null)
    throw new Error(`${subject.url} does not know the merchant ${subject.merchant.ref}.`)
  const pathOf = pathsOf(subject)
  const violations: (Violation & { readonly journey: string })[] = []
  const answered = { identification: new Set<string>(), wait: new Set<string>() }
  let last = examine({ observes: [] } as never, INVARIANTS)
  for (const [number, journey] of journeys.entries()) {
    const path = pathOf(number)
    prepareReceiver(subject, journey, path)
    const order = await placeRemoteOrder(subject, merchantTerms, path)
    if (order === null)
      throw new Error(`${subject.url} refused an order of ${subject.merchant.ref}.`)
    const rules = {
      privacyField: namesOf(subject).privacyField,
      country: merchantTerms.country,
      optionalFields: [],
      products: ['i1', 'pp3', 'sp1', 'fp1'],
      currency: merchantTerms.currency,
      total: remoteTotal(merchantTerms.currency),
      today: dayIn(merchantTerms.country, order.trace().placed.placedAt),
    }
    await runJourney(order, journey, rules, SEED + number)
    const trace = order.trace()
    last = examine(trace, INVARIANTS)
    for (const each of entriesOf(trace, 'submission')) answered.identification.add(actionOf(each))
    for (const each of entriesOf(trace, 'poll')) answered.wait.add(actionOf(each))
    violations.push(
      ...last.violations.map((violation) => ({ ...violation, journey: journey.name })),
    )
  }
  return {
    violations,
    checked: last.checked,
    notChecked: last.notChecked,
    answered: {
      identification: [...answered.identification].sort(),
      wait: [...answered.wait].sort(),
    },
  }
}

// The two tables of actions, with the attributes of each, against which answers and pushed events
// are checked. They are copied from interface §4.1 and §4.2 and contract §4, and share nothing with
// the codecs.

import type { FormSubmission, MerchantRequest, WaitPoll } from '../trace/trace.ts'
import { actionOf, fieldsOf, jsonOf } from '../trace/trace-queries.ts'
import { firstOf, type Invariant } from './invariant.ts'

const RETURN_URL = ['return_url']
const ID_SESSION = ['session_url', 'status', 'message']
const PAYMENT = ['iframe_url', 'reusable_cards', 'amount']

type Table = { readonly [action: string]: readonly string[] | undefined }

/** The eleven actions of the identification endpoint, each with all its attributes. */
export const IDENTIFICATION_TABLE: Table = {
  show_identification_form: ['errors'],
  alt_payment: [],
  require_payment: PAYMENT,
  require_validate_otp: [],
  show_on_hold: [],
  wait_for_screening: ['expires_in_seconds', 'polling_url'],
  wait_for_confirmation: ['polling_url'],
  wait_for_id_verification: ID_SESSION,
  show_error: ['messages', 'errors'],
  reject: [],
  finish: RETURN_URL,
}

/** The fourteen actions of the wait endpoint. */
export const WAIT_TABLE: Table = {
  finish: RETURN_URL,
  show_conflict: [],
  show_on_hold: RETURN_URL,
  wait_for_screening: ['expires_in'],
  resume_after_screening: [],
  wait_for_confirmation: [],
  wait_for_on_hold: [],
  alt_payment: [
    'title',
    'messages',
    'credit_agreements',
    'forced_credit_agreement_index',
    'errors',
  ],
  wait_for_id_verification: ID_SESSION,
  show_identification_form: [],
  require_payment: PAYMENT,
  require_validate_otp: [],
  show_error: ['messages'],
  reject: [],
}

type TableEntry = FormSubmission | WaitPoll
const tableOf = ({ part }: TableEntry): Table =>
  part === 'poll' ? WAIT_TABLE : IDENTIFICATION_TABLE

const endpointOf = ({ part }: TableEntry): string => (part === 'poll' ? 'wait' : 'identification')

const isInTable = (exchange: TableEntry): string | null => {
  const { status } = exchange.answer
  if (status !== 200) return `${endpointOf(exchange)} answered ${status}, not 200.`
  const action = actionOf(exchange)
  return Object.hasOwn(tableOf(exchange), action)
    ? null
    : `${endpointOf(exchange)} answered the action ${JSON.stringify(action)}, which is not in its table.`
}

export const closure: Invariant = {
  number: 1,
  name: 'closure',
  section: 'Interface §4.1 and §4.2',
  clauses: [
    {
      claim: 'identification answers 200 and one of its eleven actions',
      needs: ['submission'],
      check: firstOf('submission', isInTable),
    },
    {
      claim: 'wait answers 200 and one of its fourteen actions',
      needs: ['poll'],
      check: firstOf('poll', isInTable),
    },
  ],
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)
const isListOf =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(is)
const isMoney = (value: unknown): boolean =>
  isWhole(fieldsOf(value).value) && isText(fieldsOf(value).string)
const isCard = (value: unknown): boolean =>
  ['iframe_url', 'expiry_month_year', 'last_four', 'masked_pan'].every((name) =>
    isText(fieldsOf(value)[name]),
  )
const isAgreement = (value: unknown): boolean => {
  const fields = fieldsOf(value)
  const sums = ['grand_total', 'instalment_total', 'down_payment_total', 'cost_of_credit']
  return (
    isText(fields.product) &&
    isWhole(fields.instalment_count) &&
    sums.every((name) => isMoney(fields[name]))
  )
}

const IS_RIGHT: { readonly [attribute: string]: ((value: unknown) => boolean) | undefined } = {
  expires_in: isWhole,
  expires_in_seconds: isWhole,
  polling_url: isText,
  return_url: isText,
  messages: isListOf(isText),
  session_url: isText,
  status: (value) => ['STARTED', 'VERIFIED', 'FAILED', 'ERROR'].includes(String(value)),
  message: isText,
  iframe_url: isText,
  reusable_cards: isListOf(isCard),
  amount: isMoney,
  title: isText,
  credit_agreements: isListOf(isAgreement),
  forced_credit_agreement_index: (value) => value === null || isWhole(value),
  errors: (value) =>
    Array.isArray(value) ? value.every(isText) : Object.values(fieldsOf(value)).every(isText),
}

const attributesWrong = (
  table: Table,
  who: string,
  { action, ...attributes }: Readonly<Record<string, unknown>>,
): string | null => {
  const expected = table[String(action)]
  if (expected === undefined) return null
  const missing = expected.filter((name) => !Object.hasOwn(attributes, name))
  if (missing.length > 0) return `${who} answered ${action} without ${missing.join(', ')}.`
  const surplus = Object.keys(attributes).filter((name) => !expected.includes(name))
  if (surplus.length > 0)
    return `${who} answered ${action} with ${surplus.join(', ')}, which it does not carry.`
  const wrong = expected.find((name) => IS_RIGHT[name]?.(attributes[name]) === false)
  return wrong === undefined
    ? null
    : `${who} answered ${action} with ${wrong} ${JSON.stringify(attributes[wrong])}.`
}

const hasItsAttributes = (exchange: TableEntry): string | null =>
  attributesWrong(tableOf(exchange), endpointOf(exchange), fieldsOf(exchange.answer.body))

/**
 * The fields of an action event that come from the wait endpoint, without those that identify the
 * order.
 */
export const pushedAction = ({ body }: MerchantRequest): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(jsonOf(body))).filter(
      ([name]) =>
        !['event', 'order_ref', 'order_ref_1', 'order_ref_2'].includes(name) &&
        !name.startsWith('m_'),
    ),
  )

export const isActionEvent = ({ event }: MerchantRequest): boolean =>
  event === 'identification_action'

export const attributeExactness: Invariant = {
  number: 2,
  name: 'attribute exactness',
  section: 'Interface §2.2',
  clauses: [
    {
      claim:
        'an identification answer holds every attribute of its action, of the right shape, and no other',
      needs: ['submission'],
      check: firstOf('submission', hasItsAttributes),
    },
    {
      claim: 'a wait answer holds every attribute of its action, of the right shape, and no other',
      needs: ['poll'],
      check: firstOf('poll', hasItsAttributes),
    },
    {
      claim: 'an action event holds every attribute of its action as wait has it, and no other',
      needs: ['request'],
      check: firstOf('request', (request) =>
        isActionEvent(request)
          ? attributesWrong(WAIT_TABLE, 'an action event', pushedAction(request))
          : null,
      ),
    },
  ],
}

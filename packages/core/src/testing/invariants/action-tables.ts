// What is answered and pushed: the two tables of actions, their attributes, the judging of the form, and polling.
// The tables stand here once more, from interface §4.1 and §4.2 and contract §4, and share nothing with the codecs.
import { type Clause, type Finding, found, type Invariant } from '../invariant.ts'
import { actionOf, fieldsOf, isSameJson, jsonOf, withoutCountdown } from '../reading.ts'
import { type Polled, type Seen, type Sent, type Submitted, seenOf, type Trace } from '../trace.ts'

const RETURN_URL = ['return_url']
const ID_SESSION = ['session_url', 'status', 'message']
const PAYMENT = ['iframe_url', 'reusable_cards', 'amount']

type Table = { readonly [action: string]: readonly string[] | undefined }

/** The eleven actions of the identification endpoint, and all that each carries. */
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

/** The fourteen of the wait endpoint. */
export const WAIT_TABLE: Table = {
  finish: RETURN_URL,
  show_conflict: [],
  show_on_hold: RETURN_URL,
  wait_for_screening: ['expires_in'],
  resume_after_screening: [],
  wait_for_confirmation: [],
  wait_for_on_hold: [],
  alt_payment: ['title', 'messages', 'credit_agreements', 'forced_credit_agreement_index', 'errors'],
  wait_for_id_verification: ID_SESSION,
  show_identification_form: [],
  require_payment: PAYMENT,
  require_validate_otp: [],
  show_error: ['messages'],
  reject: [],
}

type Asked = Submitted | Polled
const tableOf = ({ part }: Asked): Table => (part === 'poll' ? WAIT_TABLE : IDENTIFICATION_TABLE)
const endpointOf = ({ part }: Asked): string => (part === 'poll' ? 'wait' : 'identification')

/** The first of a part that is not as it should be. */
const first =
  <P extends Seen['part']>(
    part: P,
    judge: (each: Extract<Seen, { part: P }>, trace: Trace, index: number) => string | null,
  ) =>
  (trace: Trace): Finding | null => {
    for (const [index, each] of trace.seen.entries()) {
      if (each.part !== part) continue
      const sentence = judge(each as Extract<Seen, { part: P }>, trace, index)
      if (sentence !== null) return found(index, sentence)
    }
    return null
  }

const isInTable = (asked: Asked): string | null => {
  const { status } = asked.answer
  if (status !== 200) return `${endpointOf(asked)} answered ${status}, not 200.`
  const action = actionOf(asked)
  return Object.hasOwn(tableOf(asked), action)
    ? null
    : `${endpointOf(asked)} answered the action ${JSON.stringify(action)}, which is not in its table.`
}

export const closure: Invariant = {
  number: 1,
  name: 'closure',
  clauses: [
    {
      claim: 'identification answers 200 and one of its eleven actions',
      needs: ['submission'],
      violation: first('submission', isInTable),
    },
    { claim: 'wait answers 200 and one of its fourteen actions', needs: ['poll'], violation: first('poll', isInTable) },
  ],
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)
const isListOf =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(is)
const isMoney = (value: unknown): boolean => isWhole(fieldsOf(value).value) && isText(fieldsOf(value).string)
const isCard = (value: unknown): boolean =>
  ['iframe_url', 'expiry_month_year', 'last_four', 'masked_pan'].every((name) => isText(fieldsOf(value)[name]))
const isAgreement = (value: unknown): boolean => {
  const fields = fieldsOf(value)
  const sums = ['grand_total', 'instalment_total', 'down_payment_total', 'cost_of_credit']
  return isText(fields.product) && isWhole(fields.instalment_count) && sums.every((name) => isMoney(fields[name]))
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
  errors: (value) => (Array.isArray(value) ? value.every(isText) : Object.values(fieldsOf(value)).every(isText)),
}

const attributesWrong = (
  table: Table,
  who: string,
  { action, ...given }: Readonly<Record<string, unknown>>,
): string | null => {
  const wanted = table[String(action)]
  if (wanted === undefined) return null
  const missing = wanted.filter((name) => !Object.hasOwn(given, name))
  if (missing.length > 0) return `${who} answered ${action} without ${missing.join(', ')}.`
  const surplus = Object.keys(given).filter((name) => !wanted.includes(name))
  if (surplus.length > 0) return `${who} answered ${action} with ${surplus.join(', ')}, which it does not carry.`
  const wrong = wanted.find((name) => IS_RIGHT[name]?.(given[name]) === false)
  return wrong === undefined ? null : `${who} answered ${action} with ${wrong} ${JSON.stringify(given[wrong])}.`
}

const hasItsAttributes = (asked: Asked): string | null =>
  attributesWrong(tableOf(asked), endpointOf(asked), fieldsOf(asked.answer.body))

/** What an action event says besides whose it is: wait's own fields. */
const pushedAction = ({ body }: Sent): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(jsonOf(body))).filter(
      ([name]) => !['event', 'order_ref', 'order_ref_1', 'order_ref_2'].includes(name) && !name.startsWith('m_'),
    ),
  )

const isActionEvent = ({ event }: Sent): boolean => event === 'identification_action'

export const attributeExactness: Invariant = {
  number: 2,
  name: 'attribute exactness',
  clauses: [
    {
      claim: 'an identification answer holds every attribute of its action, of the right shape, and no other',
      needs: ['submission'],
      violation: first('submission', hasItsAttributes),
    },
    {
      claim: 'a wait answer holds every attribute of its action, of the right shape, and no other',
      needs: ['poll'],
      violation: first('poll', hasItsAttributes),
    },
    {
      claim: 'an action event holds every attribute of its action as wait has it, and no other',
      needs: ['sent'],
      violation: first('sent', (sent) =>
        isActionEvent(sent) ? attributesWrong(WAIT_TABLE, 'an action event', pushedAction(sent)) : null,
      ),
    },
  ],
}

const namesTheWrongFields = ({ answer, wrongFields }: Submitted): string | null => {
  if (wrongFields === null) return null
  const { action, errors } = fieldsOf(answer.body)
  const given = fieldsOf(errors)
  const named = Object.keys(given).sort()
  const isForm = action === 'show_identification_form'
  if (wrongFields.length === 0)
    return isForm && !(named.length === 1 && named[0] === 'validation_code')
      ? `A form without a wrong field was answered by a form that names ${named.join(', ') || 'none'}.`
      : null
  if (!isForm) return `A form with ${wrongFields.join(', ')} wrong was answered ${action}.`
  if (!isSameJson(named, [...wrongFields].sort()))
    return `A form with ${wrongFields.join(', ')} wrong had ${named.join(', ')} named.`
  const other = Object.values(given).find((error) => error !== 'invalid')
  return other === undefined ? null : `A field was found ${JSON.stringify(other)}, and invalid is the only error.`
}

const wasRefused = ({ answer }: Submitted): boolean => {
  const { action, errors } = fieldsOf(answer.body)
  return (
    action === 'show_identification_form' && Object.keys(fieldsOf(errors)).some((name) => name !== 'validation_code')
  )
}

// With nothing else seen between, the poll before a refused form and the one after it say the same.
const leavesWaitAsItWas = ({ seen }: Trace): Finding | null => {
  for (const [index, each] of seen.entries()) {
    const [before, after] = [seen[index - 1], seen[index + 1]]
    if (each.part !== 'submission' || !wasRefused(each) || before?.part !== 'poll' || after?.part !== 'poll') continue
    if (!isSameJson(withoutCountdown(before.answer.body), withoutCountdown(after.answer.body)))
      return found(index, `A refused form changed what wait answers to ${actionOf(after)}.`)
  }
  return null
}

const stepCausedBy = ({ seen }: Trace, id: string): boolean =>
  seen.some((each) => each.part === 'step' && each.cause === id)

export const validation: Invariant = {
  number: 3,
  name: 'validation both ways',
  clauses: [
    {
      claim: 'a form is shown again for its fields if and only if one is wrong, and names all that are, each invalid',
      needs: ['submission'],
      violation: first('submission', namesTheWrongFields),
    },
    {
      claim: 'a refused form changes nothing that wait tells of',
      needs: ['submission', 'poll'],
      violation: leavesWaitAsItWas,
    },
    {
      claim: 'a refused form makes no step',
      needs: ['submission', 'step', 'cause'],
      violation: first('submission', (submitted, trace) =>
        wasRefused(submitted) && stepCausedBy(trace, submitted.id) ? 'A refused form has stepped the order.' : null,
      ),
    },
  ],
}

// Only what stands side by side, and is not followed by something that had happened meanwhile, can be compared.
const pollsAgree = ({ seen }: Trace): Finding | null => {
  for (const [index, each] of seen.entries()) {
    const before = seen[index - 1]
    if (each.part !== 'poll' || before?.part !== 'poll' || seen[index + 1]?.part === 'line') continue
    const isSame =
      each.at === before.at
        ? isSameJson(each.answer, before.answer)
        : isSameJson(withoutCountdown(each.answer.body), withoutCountdown(before.answer.body))
    if (!isSame) return found(index, `Polled twice, wait answered ${actionOf(before)} and then ${actionOf(each)}.`)
  }
  return null
}

export const pollingIsRead: Invariant = {
  number: 4,
  name: 'polling is a pure read',
  clauses: [
    { claim: 'polls with nothing between them are answered alike', needs: ['poll', 'instant'], violation: pollsAgree },
    {
      claim: 'a poll makes no step',
      needs: ['poll', 'step', 'cause'],
      violation: first('poll', (polled, trace) =>
        stepCausedBy(trace, polled.id) ? 'A poll has stepped the order.' : null,
      ),
    },
  ],
}

const pushesEachChange = ({ seen, placed }: Trace): Finding | null => {
  let before: unknown = null
  for (const [index, each] of seen.entries()) {
    if (each.part !== 'step') continue
    const pushed = each.made.effects.flatMap((effect) =>
      effect.type === 'do' && effect.work.kind === 'event' && effect.work.event === 'identification_action'
        ? [pushedAction({ ...effect.work } as unknown as Sent)]
        : [],
    )
    const isChange = before !== null && !isSameJson(withoutCountdown(before), withoutCountdown(each.wait))
    before = each.wait
    const isDue = isChange && placed.merchant.sendsActionEvents && placed.eventsWebhook !== null
    if (pushed.length !== (isDue ? 1 : 0))
      return found(
        index,
        `Wait ${isChange ? 'changed' : 'did not change'} and ${pushed.length} action events were made.`,
      )
    if (isDue && !isSameJson(pushed[0], each.wait))
      return found(index, `An action event says ${JSON.stringify(pushed[0])}, and wait ${JSON.stringify(each.wait)}.`)
  }
  return null
}

/** The first attempts of action events, in the order in which they left. */
const actionEventsBefore = (trace: Trace, index: number): readonly Sent[] =>
  seenOf({ seen: trace.seen.slice(0, index) }, 'sent').filter(
    (sent) => isActionEvent(sent) && sent.trigger === 'schedule' && sent.n === 1,
  )

// What was pushed last is what a poll says once nothing is on its way. Where an endpoint is down, events queue up.
const lastPushIsPolled = (trace: Trace): Finding | null => {
  const { seen, placed } = trace
  if (!placed.merchant.sendsActionEvents || placed.eventsWebhook === null) return null
  for (const [index, each] of seen.entries()) {
    if (each.part !== 'poll' || seen[index - 1]?.part !== 'idle' || seen[index + 1]?.part === 'line') continue
    const sent = seenOf({ seen: seen.slice(0, index) }, 'sent').filter(isActionEvent)
    const accepted = new Set(
      seenOf({ seen: seen.slice(0, index) }, 'judged').flatMap(({ key, outcome }) =>
        outcome === 'accepted' ? [key] : [],
      ),
    )
    if (sent.some(({ key }) => !accepted.has(key))) continue
    const last = actionEventsBefore(trace, index).at(-1)
    const firstPoll = seen.find((one): one is Polled => one.part === 'poll')
    const pushed = last === undefined ? firstPoll?.answer.body : pushedAction(last)
    if (!isSameJson(withoutCountdown(pushed), withoutCountdown(each.answer.body)))
      return found(index, `Wait answers ${actionOf(each)}, and what was pushed last is ${JSON.stringify(pushed)}.`)
  }
  return null
}

const nonePushedUnasked: Clause = {
  claim: 'no action event leaves for a merchant who has not asked for them',
  needs: ['sent'],
  violation: first('sent', (sent, { placed }) =>
    isActionEvent(sent) && !placed.merchant.sendsActionEvents
      ? 'An action event left for a merchant without the option.'
      : null,
  ),
}

export const pushPullParity: Invariant = {
  number: 5,
  name: 'push–pull parity',
  clauses: [
    {
      claim: 'each change of what wait answers makes one action event that says the same, and nothing else makes any',
      needs: ['step'],
      violation: pushesEachChange,
    },
    {
      claim: 'once everything has arrived, what was pushed last is what wait answers',
      needs: ['sent', 'judged', 'poll', 'idle'],
      violation: lastPushIsPolled,
    },
    nonePushedUnasked,
  ],
}

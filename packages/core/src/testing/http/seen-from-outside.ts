// Promises to a client that only judge a server from outside. In a simulation they would be false: a
// process that is killed after the merchant's answer sends the same request again.
import { isAccepted } from '../invariants/delivery.ts'
import { firstOf, type Invariant } from '../invariants/invariant.ts'
import type { MerchantRequest, Trace } from '../trace/trace.ts'
import { actionOf } from '../trace/trace-queries.ts'

const answerTo = ({ entries }: Trace, { key, n }: MerchantRequest) =>
  entries.find((each) => each.part === 'answer' && each.key === key && each.n === n)

const acceptedEarlier = (request: MerchantRequest, trace: Trace, index: number): boolean =>
  trace.entries.slice(0, index).some((each) => {
    if (each.part !== 'request' || each.event !== request.event) return false
    const answer = answerTo(trace, each)
    return (
      (each.key === request.key || each.body === request.body) &&
      answer?.part === 'answer' &&
      isAccepted(each.event, answer)
    )
  })

const isSentOnce = firstOf('request', (request, trace, index) =>
  request.trigger === 'schedule' &&
  (request.event === 'ipn' || request.event === 'denied') &&
  acceptedEarlier(request, trace, index)
    ? `${request.event} was sent again after the merchant had accepted it.`
    : null,
)

const hasItsHeaders = firstOf('request', ({ event, headers }, { names }) => {
  const isAction = event === 'identification_action'
  const expected: readonly (readonly [string, RegExp])[] = [
    ['webhook-id', /./],
    ['webhook-timestamp', /^\d{10}$/],
    ['webhook-signature', /^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$/],
    ['user-agent', new RegExp(`^${names.userAgent}$`)],
    ['content-type', isAction ? /^application\/json/ : /^application\/x-www-form-urlencoded/],
  ]
  const wrong = expected.find(([name, pattern]) => !pattern.test(headers[name] ?? ''))
  return wrong === undefined
    ? null
    : `The header ${wrong[0]} of ${event} is ${JSON.stringify(headers[wrong[0]] ?? null)}.`
})

const isAcceptedAgain = firstOf('merchant', (act, { entries }, index) => {
  const poll = entries.slice(0, index).findLast((each) => each.part === 'poll')
  const isReached = poll?.part === 'poll' && actionOf(poll) === 'finish'
  return act.act === 'confirmed' && isReached && !act.isAccepted
    ? 'A PUT of `confirmed` to a confirmed order was refused.'
    : null
})

export const SEEN_FROM_OUTSIDE: readonly Invariant[] = [
  {
    number: 22,
    name: 'requests to the merchant',
    section: 'Contract §5 and §6',
    clauses: [
      {
        claim: 'what the merchant has accepted is not sent again',
        needs: ['request', 'answer'],
        check: isSentOnce,
      },
      {
        claim: 'each request has the headers of its kind',
        needs: ['request', 'signature'],
        check: hasItsHeaders,
      },
    ],
  },
  {
    number: 23,
    name: 'repeated calls of the merchant',
    section: 'Contract §3',
    clauses: [
      {
        claim: 'a state that is already reached is 200 again',
        needs: ['merchant', 'poll'],
        check: isAcceptedAgain,
      },
    ],
  },
]
